import type { HttpRequest } from "@cloud/transcoder";
import { createCors } from "@cloud/transcoder/cors";
import { cors as ofProtocols } from "@connectrpc/connect";
import type { NodeHandler } from "./http1-server.ts";

/**
 * Permits pages of these origins to call, and to read replies. A request of another origin is served as without the
 * setting: its page may not read the reply. Tokens are in a header, so no page needs cookies.
 */
export function allowOrigins(origins: readonly string[] | "*", handler: NodeHandler): NodeHandler {
  const cors = createCors({
    origins,
    requestHeaders: [...ofProtocols.allowedHeaders, ...SENT_HEADERS],
    // Connect sends trailers as headers with a prefix.
    responseHeaders: [...ofProtocols.exposedHeaders, ...READ_HEADERS, ...READ_HEADERS.map((name) => `Trailer-${name}`)],
  });
  return (request, response) => {
    const caller: HttpRequest = request;
    const preflight = request.method === "OPTIONS" ? cors.preflight(caller, ["POST"]) : {};
    const { headers } = cors.allow(caller, { status: 204, headers: preflight, body: undefined });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (Object.keys(preflight).length === 0) return handler(request, response);
    response.statusCode = 204;
    response.end();
    request.resume();
  };
}

/** Headers that a page may send to any port, besides the protocols' own. */
export const SENT_HEADERS = [
  "Authorization",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "service-current-orgid",
  "X-Request-Id",
  "traceparent",
  "tracestate",
];

/** Headers and trailers that a page may read of any reply. */
export const READ_HEADERS = [
  "ETag",
  "Idempotent-Replayed",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-Request-Id",
];
