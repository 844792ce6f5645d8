import type { CorsOptions } from "@cloud/transcoder";

/** Returns what pages of these origins may send and read. Tokens are in a header, so no page needs cookies. */
export function corsOf(origins: CorsOptions["origins"]): CorsOptions {
  return {
    origins,
    requestHeaders: [
      "Authorization",
      "Content-Type",
      "Idempotency-Key",
      "If-Match",
      "If-None-Match",
      "Last-Event-ID",
      "service-current-orgid",
      "X-Request-Id",
      "traceparent",
      "tracestate",
    ],
    responseHeaders: [
      "Allow",
      "ETag",
      "Idempotent-Replayed",
      "Location",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
      "WWW-Authenticate",
      "X-Request-Id",
    ],
  };
}
