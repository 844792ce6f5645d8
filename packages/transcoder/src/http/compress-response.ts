import { promisify } from "node:util";
import { brotliCompress, deflate, gzip, constants as zlib } from "node:zlib";
import { readWeights } from "./accept-header.ts";
import { CONTENT_ENCODINGS, type ContentEncoding } from "./content-encoding.ts";
import { findHeader, findHeaderName } from "./find-header.ts";
import type { HttpRequest } from "./http-request.ts";
import type { HttpResponse } from "./http-response.ts";
import { withVary } from "./vary.ts";

export interface CompressionOptions {
  /** Bytes from which a body is compressed; 1,024 if absent. */
  readonly from?: number;
  /** The first is preferred; gzip, br and deflate if absent. */
  readonly encodings?: readonly ContentEncoding[];
}

/** Compresses a body of text for a client that accepts it. Streams, and types such as images, are left as they are. */
export async function compressResponse(
  { headers }: HttpRequest,
  response: HttpResponse,
  { from = 1_024, encodings = CONTENT_ENCODINGS }: CompressionOptions,
): Promise<HttpResponse> {
  const { body, encoding: text = "utf8" } = response;
  if (body === undefined || findHeader(response.headers, "content-encoding") !== undefined) return response;
  const bytes = typeof body === "string" ? Buffer.from(body, text) : body;
  if (bytes.byteLength < from || !TEXT.test(findHeader(response.headers, "content-type") ?? "")) return response;
  // Without it, a cache would give what it has to a client that cannot read it.
  const varied = withVary(response.headers, "Accept-Encoding");
  const encoding = choose(headers["accept-encoding"], encodings);
  if (encoding === undefined) return { ...response, headers: varied };
  const compressed = await ENCODERS[encoding](bytes);
  return { status: response.status, headers: weaken({ ...varied, "Content-Encoding": encoding }), body: compressed };
}

const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)|application\/javascript|image\/svg\+xml)/i;

/** Returns the encoding of the greatest weight; undefined for none, if the header prefers none or is absent. */
function choose(
  accepted: string | string[] | undefined,
  encodings: readonly ContentEncoding[],
): ContentEncoding | undefined {
  if (accepted === undefined) return undefined;
  const weightOf = readWeights(String(accepted));
  const identity = weightOf("identity");
  let best = identity.precision === 2 ? identity.quality : 0;
  let chosen: ContentEncoding | undefined;
  for (const encoding of encodings) {
    const { quality } = weightOf(encoding);
    if (quality <= best) continue;
    best = quality;
    chosen = encoding;
  }
  return chosen;
}

/** An ETag that is strong names the bytes of one encoding (RFC 9110, 8.8.3.3). */
function weaken(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const name = findHeaderName(headers, "etag") ?? "";
  const tag = headers[name];
  return tag?.startsWith('"') ? { ...headers, [name]: `W/${tag}` } : headers;
}

type Encode = (bytes: Uint8Array) => Promise<Buffer>;

const brotli = promisify(brotliCompress);
const ENCODERS: Readonly<Record<ContentEncoding, Encode>> = {
  gzip: promisify<Uint8Array, Buffer>(gzip),
  // Its default, 11, is for files: it takes a hundred times as long.
  br: (bytes) => brotli(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  deflate: promisify<Uint8Array, Buffer>(deflate),
};
