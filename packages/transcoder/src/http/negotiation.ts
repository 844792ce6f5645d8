import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { findHeaderName } from "./messages.ts";

/** The weight of a choice in a header such as Accept. */
interface Weight {
  /** The quality from 0, refused, to 1. */
  readonly quality: number;
  /** The precision of the range that decides: 0 for a wildcard or none at all, 1 for `type/*`, 2 for the name. */
  readonly precision: 0 | 1 | 2;
}

/**
 * Reads a header of weighted choices, Accept or Accept-Encoding (RFC 9110, 12.4). Returns the weight of a name, in
 * lower case; every name has weight 1 without the header, and with one that no client sends.
 */
export function readWeights(header: string | undefined): (name: string) => Weight {
  if (header === undefined || header.trim() === "" || header.length > LONGEST) return () => ANY;
  const weights = new Map(header.split(",").map(readRange));
  return (name) => {
    const slash = name.indexOf("/");
    const own = weights.get(name);
    if (own !== undefined) return { quality: own, precision: 2 };
    const kind = slash < 0 ? undefined : weights.get(`${name.slice(0, slash)}/*`);
    if (kind !== undefined) return { quality: kind, precision: 1 };
    return { quality: weights.get(slash < 0 ? "*" : "*/*") ?? 0, precision: 0 };
  };
}

function readRange(range: string): [type: string, weight: number] {
  const [type = "", ...parameters] = range
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [type, weight === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}

const ANY: Weight = { quality: 1, precision: 0 };

/** The most characters of a header that is read; no client names so many types. */
const LONGEST = 1_000;

/** The types of a body that are JSON: application/json only, or also all that end in +json (RFC 6839). */
export type JsonTypes = "plain" | "suffix";

/**
 * Refuses a body that is not declared as JSON in UTF-8. A body without a declaration is treated as JSON. Throws a
 * TranscodingError of kind unsupported-media-type.
 */
export function requireJson(headers: IncomingHttpHeaders, httpMethod: string, types: JsonTypes): void {
  const declared = headers["content-type"];
  if (declared === undefined || declared === JSON_TYPE) return;
  const [type = "", ...parameters] = declared
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset\s*=/.test(parameter)) ?? "charset=utf-8";
  const isJson =
    type === "" || type === JSON_TYPE || (types === "suffix" && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json$/.test(type));
  if (!isJson || !/^charset\s*=\s*"?utf-?8"?$/.test(charset)) {
    throw new TranscodingError("unsupported-media-type", { types: [JSON_TYPE], httpMethod });
  }
}

export const JSON_TYPE = "application/json";

export type ContentEncoding = "gzip" | "br" | "deflate";

export const CONTENT_ENCODINGS: readonly ContentEncoding[] = ["gzip", "br", "deflate"];

interface DecodingLimits {
  /** The largest decoded body in bytes. */
  readonly size: number;
  /** Decoded bytes for each one sent, once more than 64 KiB are decoded. */
  readonly ratio: number;
}

/**
 * Returns how a body is encoded; undefined if it is not. Throws a TranscodingError of kind unsupported-encoding for an
 * encoding that is not accepted, and for several.
 */
export function encodingOf(
  headers: IncomingHttpHeaders,
  accepted: readonly ContentEncoding[],
): ContentEncoding | undefined {
  const declared = headers["content-encoding"];
  if (declared === undefined) return undefined;
  const name = declared.trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  // RFC 9110, 8.4.1.3: the same.
  const encoding = accepted.find((one) => one === (name === "x-gzip" ? "gzip" : name));
  if (encoding === undefined) throw new TranscodingError("unsupported-encoding", { encodings: accepted });
  return encoding;
}

/**
 * Decodes a body, of at most `size` bytes and `ratio` times what was sent. Throws a TranscodingError of kind
 * body-too-large or invalid-encoding.
 */
export async function decodeBody(bytes: Buffer, encoding: ContentEncoding, limits: DecodingLimits): Promise<Buffer> {
  const maxOutputLength = Math.min(limits.size, Math.max(ALWAYS_DECODED, bytes.length * limits.ratio));
  try {
    return await DECODERS[encoding](bytes, { maxOutputLength });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new TranscodingError(isTooLarge ? "body-too-large" : "invalid-encoding", { encodings: [encoding] });
  }
}

/** Bytes that are decoded whatever the ratio: a small body of one repeated character has any ratio. */
const ALWAYS_DECODED = 64 * 1024;

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: Readonly<Record<ContentEncoding, Decode>> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  // HTTP's deflate has the header of zlib (RFC 9110, 8.4.1.2).
  deflate: promisify(inflate),
};

/** Returns headers whose Vary names `fields`, too. */
export function withVary(headers: Readonly<Record<string, string>>, fields: string): Readonly<Record<string, string>> {
  const name = findHeaderName(headers, "vary");
  return name === undefined ? { ...headers, Vary: fields } : { ...headers, [name]: `${headers[name]}, ${fields}` };
}
