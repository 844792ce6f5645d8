import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";

/** A fault in the head of a request: the parameter of an error, and what it accepts. */
interface RequestFault {
  readonly parameter: string;
  readonly accepts: string;
}

/**
 * The headers that may be given once at most. Node keeps the first of several or joins them, and other software the
 * last, so that two programs could attribute one request to different callers (RFC 9110, 5.3; RFC 9112, 3.2 for Host).
 */
const ONCE: ReadonlyMap<string, string> = new Map([
  ["authorization", "Authorization"],
  ["host", "Host"],
  ["content-length", "Content-Length"],
  ["service-current-orgid", "service-current-orgid"],
  ["idempotency-key", "Idempotency-Key"],
]);

/**
 * Finds a header that is given twice, a Host that is absent, or a version in a request line of HTTP/1 that is neither
 * 1.0 nor 1.1.
 */
export function findRequestFault(request: IncomingMessage | Http2ServerRequest): RequestFault | undefined {
  if (!("stream" in request) && request.httpVersion !== "1.1" && request.httpVersion !== "1.0") {
    return { parameter: "HTTP version", accepts: "1.0 or 1.1" };
  }
  const { rawHeaders, headers } = request;
  for (const [name, shown] of ONCE) {
    if (headers[name] !== undefined && countOf(name, rawHeaders) > 1) {
      return { parameter: `header ${shown}`, accepts: "given once" }; // protects: repeated-headers
    }
  }
  if (isHttp11(request) && headers.host === undefined) return { parameter: "header Host", accepts: "given once" };
  return undefined;
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? "";
    if (sent.length === name.length && sent.toLowerCase() === name) count++;
  }
  return count;
}

/** Returns whether a request needs a Host: HTTP/1.1 demands it, HTTP/2 has its own name for it. */
function isHttp11(request: IncomingMessage | Http2ServerRequest): boolean {
  return !("stream" in request) && request.httpVersion === "1.1";
}
