import type { HttpRequest } from "../http/http-request.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { type NodeRequest, type NodeResponse, writeResponse } from "../http/write-response.ts";
import type { Serve } from "../serving/serve.ts";

/** A listener of node:http and node:http2 that never throws and leaves no pending rejection. */
export type RequestListener = (request: NodeRequest, response: NodeResponse) => void;

/** Creates the listener for `request` events; with `expects`, for `checkContinue`. */
export function createNodeListener(serve: Serve, expects: boolean): RequestListener {
  return (request, response) => {
    // A client may disconnect at any time; without listeners the error would end the process.
    request.on("error", ignore);
    response.on("error", ignore);
    const send = (content: HttpResponse | undefined) => {
      try {
        if (content !== undefined) writeResponse(request, response, content);
      } catch {
        response.destroy();
      }
    };
    const proceed = expects ? () => response.writeContinue() : undefined;
    const served = serve(request as HttpRequest, proceed);
    response.on("close", () => {
      const isSent = response.writableFinished;
      served.end(response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST, isSent);
    });
    // What is refused before anything is read is refused without a promise: under overload that is nine of ten requests.
    if (served.response instanceof Promise) served.response.then(send, () => response.destroy());
    else send(served.response);
  };
}

function ignore(): void {}

// The status that nginx logs if the client disconnects before the response.
const CLIENT_CLOSED_REQUEST = 499;
