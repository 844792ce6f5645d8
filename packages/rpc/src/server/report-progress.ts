import type { RequestListener, ServerResponse } from "node:http";

const EVERY_MS = 1_000;

export interface ProgressReports {
  readonly handler: RequestListener;
  stop(): void;
}

/**
 * Sends `102 Processing` each second to a client of HTTP/1.1 that asks for it by the header `x-cloud-progress`, until the
 * response begins. By it the other programs of this system distinguish a peer that is at work from a silent one, for which
 * HTTP/1.1 has no other means.
 */
export function reportProgress(handler: RequestListener): ProgressReports {
  const waiting = new Map<ServerResponse, number>();
  let beat = 0;
  const timer = setInterval(() => {
    beat++;
    for (const [response, since] of waiting) {
      if (since < beat - 1 && !response.headersSent) response.writeProcessing();
    }
  }, EVERY_MS).unref();
  return {
    handler: (request, response) => {
      if ("x-cloud-progress" in request.headers) {
        waiting.set(response, beat);
        response.once("close", () => waiting.delete(response));
      }
      handler(request, response);
    },
    stop: () => clearInterval(timer),
  };
}
