import { cors } from "@connectrpc/connect";
import type { NodeHandler } from "./http1-server.ts";

/**
 * Permits pages of these origins to call, and to read replies (the Fetch standard, 3.2). A request of another origin is
 * served as without the setting: its page may not read the reply. Tokens are in a header, so no page needs cookies.
 */
export function allowOrigins(origins: readonly string[] | "*", handler: NodeHandler): NodeHandler {
  const known = new Set(origins === "*" ? [] : origins);
  return (request, response) => {
    const { origin } = request.headers;
    // Also without an allowed origin: a cache must not give the reply to another one.
    if (origins !== "*") response.setHeader("Vary", "Origin");
    if (origin === undefined || (origins !== "*" && !known.has(origin))) return handler(request, response);
    response.setHeader("Access-Control-Allow-Origin", origins === "*" ? "*" : origin);
    if (request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined) {
      for (const [name, value] of Object.entries(PREFLIGHT)) response.setHeader(name, value);
      response.statusCode = 204;
      response.end();
      request.resume();
      return;
    }
    response.setHeader("Access-Control-Expose-Headers", EXPOSED);
    handler(request, response);
  };
}

/** Headers that a page may send, besides the protocols' own. */
const SENT = [
  "Authorization",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "service-current-orgid",
  "X-Request-Id",
  "traceparent",
  "tracestate",
];

/** Headers and trailers that a page may read; Connect sends trailers as headers with a prefix. */
const READ = ["ETag", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"];

const EXPOSED = [...cors.exposedHeaders, ...READ, ...READ.map((name) => `Trailer-${name}`)].join(", ");

const PREFLIGHT = {
  "Access-Control-Allow-Methods": "POST",
  "Access-Control-Allow-Headers": [...cors.allowedHeaders, ...SENT].join(", "),
  "Access-Control-Max-Age": "600",
};
