import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { TranscodingError } from "../errors/transcoding-error.ts";

export type ContentEncoding = "gzip" | "br" | "deflate";

export const CONTENT_ENCODINGS: readonly ContentEncoding[] = ["gzip", "br", "deflate"];

export interface DecodingLimits {
  /** Of the decoded body, in bytes. */
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

/** Bytes; a small body of one repeated character has any ratio. */
const ALWAYS_DECODED = 64 * 1024;

type Decode = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: Readonly<Record<ContentEncoding, Decode>> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  // Of HTTP, with the header of zlib (RFC 9110, 8.4.1.2).
  deflate: promisify(inflate),
};
