import { setTimeout as delay } from "node:timers/promises";
import { causesOf } from "@cloud/telemetry";
import type { Interceptor } from "@connectrpc/connect";

/**
 * Milliseconds before each retry. The first is immediate, because the next connection usually reaches another replica.
 * All together stay below 0.2 s, so that an unreachable peer is reported soon.
 */
const PAUSES_MS = [0, 10, 30, 90];

/**
 * Resends a call that no server has processed, whatever the method: it found no connection, or the server was closing
 * the connection and refused it (RFC 9113, 6.8 and 8.7). A call that may have been processed fails.
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
    // A deadline that expires during the pause ends the call by itself.
    if (pauseMs > 0) await delay(pauseMs * (0.5 + Math.random()), undefined, { ref: false });
  }
  return await next(request);
};

/** Returns whether any cause shows that the call failed before a server processed it. */
export function wasNotProcessed(error: unknown): boolean {
  return causesOf(error).some((cause) => isNeverSent(cause as NodeError) || isRefusedStream(cause as NodeError));
}

interface NodeError {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
}

/** No connection was made, or it had been closed before the request was written. */
function isNeverSent({ code, syscall }: NodeError): boolean {
  return NEVER_SENT.has(code) || syscall === "connect" || syscall === "getaddrinfo";
}

const NEVER_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
]);

/** Includes Node's error for a stream that a GOAWAY excluded. */
function isRefusedStream({ code, message }: NodeError): boolean {
  return code === "ERR_HTTP2_STREAM_ERROR" && String(message).endsWith("NGHTTP2_REFUSED_STREAM");
}
