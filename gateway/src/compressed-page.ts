import type { IncomingMessage } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import { createSemaphore } from "@cloud/runtime/limits";
import type { HttpResponse } from "@cloud/transcoder";

type Headers = Readonly<Record<string, string>>;
type ServePage = (request: IncomingMessage) => Promise<HttpResponse>;

/** Serves a text, compressed once for all clients that accept gzip. */
export function compressPage(headers: Headers, readText: () => string | Buffer): ServePage {
  return compressedPage(headers, () => gzipSync(readText(), { level: 9 }));
}

/** Serves a compressed file, read once; decompressed for a client that does not accept gzip. */
export function compressedPage(headers: Headers, readGzip: () => Buffer): ServePage {
  const varied = { ...headers, Vary: "Accept-Encoding" };
  const encoded = { ...varied, "Content-Encoding": "gzip" };
  let compressed: HttpResponse | undefined;
  let plain: HttpResponse | undefined;
  return oneAtATime((request) => {
    compressed ??= { status: 200, headers: encoded, body: readGzip().toString("latin1"), encoding: "latin1" };
    if (GZIP.test(request.headers["accept-encoding"] ?? "")) return compressed;
    const text = () => gunzipSync(readGzip()).toString("latin1");
    plain ??= { status: 200, headers: varied, body: text(), encoding: "latin1" };
    return plain;
  });
}

/** A header that names gzip with a weight above 0 (RFC 9110, 12.5.3). */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/**
 * Serves a large page once in a turn of the event loop: to send 0.5 MB takes 0.4 ms, and 1,000 requests at once, which
 * need no token, delayed all others by 0.4 s.
 */
function oneAtATime(serve: (request: IncomingMessage) => HttpResponse): ServePage {
  const semaphore = createSemaphore({ max: 1 }); // protects: pages-in-turn
  return async (request) => {
    setImmediate(await semaphore.acquire());
    return serve(request);
  };
}
