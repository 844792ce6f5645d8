import { setTimeout as delay } from "node:timers/promises";
import type { Interceptor } from "@connectrpc/connect";

/**
 * Milliseconds before each further try. The first goes at once: the next connection reaches another replica, mostly. All
 * together stay below 0.2 s, so that a peer that is gone altogether is told soon.
 */
const PAUSES_MS = [0, 10, 30, 90];

/**
 * Sends a call again that no server has processed, whatever the method: it found no connection, or the server that it
 * reached was ending the connection and refused it (RFC 9113, 6.8 and 8.7). A call that may have been processed fails.
 */
export const retryUnprocessed: Interceptor = (next) => async (request) => {
  if (request.stream) {
    return await next(request);
  }
  for (const pauseMs of PAUSES_MS) {
    try {
      return await next(request);
    } catch (error) {
      if (!wasNotProcessed(error) || request.signal.aborted) throw error;
    }
    // A deadline that passes meanwhile ends the call by itself.
    if (pauseMs > 0) await delay(pauseMs * (0.5 + Math.random()), undefined, { ref: false });
  }
  return await next(request);
};

/** Whether somewhere among the causes there is one that a call can only have before a server has seen it. */
export function wasNotProcessed(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < 8 && typeof at === "object" && at !== null; depth++) {
    if (isNeverSent(at) || isRefusedStream(at)) return true;
    at = "cause" in at ? at.cause : undefined;
  }
  return false;
}

/** No connection was made, or the one there was had been closed before the request was written to it. */
function isNeverSent({ code, syscall }: { readonly code?: unknown; readonly syscall?: unknown }): boolean {
  return NEVER_SENT.has(code) || syscall === "connect" || syscall === "getaddrinfo";
}

const NEVER_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
]);

/** Also what Node tells of a stream that a GOAWAY has left out. */
function isRefusedStream({ code, message }: { readonly code?: unknown; readonly message?: unknown }): boolean {
  return code === "ERR_HTTP2_STREAM_ERROR" && String(message).endsWith("NGHTTP2_REFUSED_STREAM");
}
