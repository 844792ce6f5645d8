import type { IncomingMessage } from "node:http";
import { requestIdOf } from "./request-id.ts";

const FORWARDED = ["authorization", "service-current-orgid", "traceparent", "tracestate"];

/** What a service is told of the request besides its message: the caller's token and context, and how to trace it. */
export function forwardedHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = { "x-request-id": requestIdOf(request) };
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}
