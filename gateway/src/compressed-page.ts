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

/** Serves what is compressed already, read once; to a client that does not accept gzip, as it was before. */
export function compressedPage(headers: Headers, readGzip: () => Buffer): ServePage {
  const varied = { ...headers, Vary: "Accept-Encoding" };
  const encoded = { ...varied, "Content-Encoding": "gzip" };
  let compressed: HttpResponse | undefined;
  let plain: HttpResponse | undefined;
  return oneInTurn((request) => {
    compressed ??= { status: 200, headers: encoded, body: readGzip().toString("latin1"), encoding: "latin1" };
    if (acceptsGzip(request.headers["accept-encoding"])) return compressed;
    const text = () => gunzipSync(readGzip()).toString("latin1");
    plain ??= { status: 200, headers: varied, body: text(), encoding: "latin1" };
    return plain;
  });
}

/** Whether the header names gzip, or any coding, with a weight above 0 (RFC 9110, 12.5.3). */
function acceptsGzip(header: string | undefined): boolean {
  const weights = new Map(
    (header ?? "").split(",", MAX_CODINGS).map((part) => {
      const [coding = "", weight = ""] = part.toLowerCase().split(";", 2);
      return [coding.trim(), !/^\s*q=0(\.0*)?\s*$/.test(weight)] as const;
    }),
  );
  return weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? false;
}

/** A header has 16 KiB at most; no client names more codings than there are. */
const MAX_CODINGS = 32;

/**
 * Serves a large page once in a turn of the event loop: to send 0.5 MB takes 0.4 ms, and 1,000 at once, for which no
 * client needs a token, delayed all others by 0.4 s.
 */
function oneInTurn(serve: (request: IncomingMessage) => HttpResponse): ServePage {
  const turns = createSemaphore({ max: 1 }); // protects: pages-in-turn
  return async (request) => {
    setImmediate(await turns.acquire());
    return serve(request);
  };
}
