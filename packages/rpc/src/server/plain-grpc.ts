import type { Http2ServerResponse } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Compression, compressedFlag, compressionNegotiate } from "@connectrpc/connect/protocol";
import { parseTimeout, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import type { NodeRequest } from "../follow-calls.ts";
import type { PlainMethod, PlainReply, PlainRequest } from "./plain-methods.ts";

/** Recognizes a call that declares no compression. */
export function recognize(request: NodeRequest, served: PlainMethod, maxTimeoutMs: number): PlainRequest | undefined {
  const { headers } = request;
  if (!GRPC.test(headers["content-type"] ?? "") || headers["grpc-encoding"] !== undefined) return undefined;
  const deadline = headers["grpc-timeout"];
  if (deadline === undefined) return { ...GRPC_CALL, served, request, timeoutMs: undefined };
  const { timeoutMs } = parseTimeout(String(deadline), maxTimeoutMs);
  if (timeoutMs === undefined) return undefined; // malformed
  return { ...GRPC_CALL, served, request, timeoutMs: Math.min(timeoutMs, maxTimeoutMs) };
}

const GRPC = /^application\/grpc(?:\+proto)?$/;
const GRPC_CALL = { protocol: "grpc", isBinary: true, length: undefined } as const;

/**
 * Reads the one message of a call. @throws ConnectError, as the library does, for a body that is not exactly one
 * uncompressed message of at most `limit` bytes, and ABORTED if the stream ends before
 */
export function readMessage(request: NodeRequest, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let body: Buffer = Buffer.alloc(0);
    let size = 0;
    const settle = (act: () => void) => {
      request.off("data", take).off("end", complete).off("error", leave).off("close", leave);
      act();
    };
    const take = (chunk: Buffer) => {
      body = size === 0 ? chunk : append(body, size, chunk);
      size += chunk.length;
      const isTooLarge = size > limit + PREFIX_BYTES || (size >= PREFIX_BYTES && body.readUInt32BE(1) > limit);
      if (!isTooLarge) return;
      request.pause();
      settle(() => reject(new ConnectError("the message is too large", Code.ResourceExhausted)));
    };
    const complete = () =>
      settle(() => {
        try {
          resolve(messageOf(body.subarray(0, size)));
        } catch (error) {
          reject(error);
        }
      });
    const leave = () =>
      settle(() => reject(new ConnectError("the caller left while its message was read", Code.Aborted)));
    request.on("data", take).once("end", complete).once("error", leave).once("close", leave);
  });
}

/** The prefix of a message: a flag, and the length in four bytes. */
const PREFIX_BYTES = 5;

/** Puts `chunk` behind the first `size` bytes. The buffer doubles, as a client may send single bytes. */
function append(body: Buffer, size: number, chunk: Buffer): Buffer {
  const isFull = size + chunk.length > body.length;
  const roomy = isFull ? Buffer.concat([body.subarray(0, size)], 2 * (size + chunk.length)) : body;
  chunk.copy(roomy, size);
  return roomy;
}

function messageOf(body: Buffer): Uint8Array {
  if (body.length === 0)
    throw new ConnectError("protocol error: missing input message for unary method", Code.Unimplemented);
  const end = endOfMessage(body, 0);
  if ((body[0] ?? 0) & compressedFlag) {
    throw new ConnectError("received compressed envelope, but do not know how to decompress", Code.Internal);
  }
  if (body.length > end) {
    endOfMessage(body, end); // the library refuses an incomplete one as such
    throw new ConnectError("protocol error: received extra input message for unary method", Code.Unimplemented);
  }
  return body.subarray(PREFIX_BYTES, end);
}

/** Returns where the message that begins at `start` ends. @throws ConnectError INVALID_ARGUMENT for an incomplete one */
function endOfMessage(body: Buffer, start: number): number {
  const present = body.length - start - PREFIX_BYTES;
  if (present < 0) throw new ConnectError("protocol error: incomplete envelope", Code.InvalidArgument);
  const length = body.readUInt32BE(start + 1);
  if (present >= length) return start + PREFIX_BYTES + length;
  const text = `protocol error: promised ${length} bytes in enveloped message, got ${present} bytes`;
  throw new ConnectError(text, Code.InvalidArgument);
}

/** Writes the encoded message of a call that has succeeded, compressed where the library compresses it. */
export async function writeReply(
  response: Http2ServerResponse,
  requestId: string,
  { bytes, header, trailer, accepts }: PlainReply,
): Promise<void> {
  const { response: compression } = compressionNegotiate(COMPRESSIONS, null, accepts, "grpc-accept-encoding");
  const encoding = compression === null ? undefined : { "grpc-encoding": compression.name };
  const isCompressed = compression !== null && bytes.byteLength >= MIN_COMPRESSED;
  const message = isCompressed ? await compression.compress(bytes) : bytes;
  if (response.stream.destroyed) return;
  response.writeHead(200, { ...CONTENT_TYPE, "x-request-id": requestId, ...encoding, ...Object.fromEntries(header) });
  response.addTrailers({ "grpc-status": "0", ...Object.fromEntries(trailer) });
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + message.byteLength);
  framed[0] = isCompressed ? compressedFlag : 0;
  framed.writeUInt32BE(message.byteLength, 1);
  framed.set(message, PREFIX_BYTES);
  response.end(framed);
}

/** Writes the error of a call, as the library does, with the id of the request. */
export function writeError(response: Http2ServerResponse, requestId: string, error: ConnectError): void {
  if (response.stream.destroyed) return;
  response.writeHead(200, { ...CONTENT_TYPE, "x-request-id": requestId });
  response.addTrailers(Object.fromEntries(setTrailerStatus(new Headers(), error)));
  response.end();
}

const CONTENT_TYPE = { "content-type": "application/grpc+proto" };
/** The compressions of the library's server, in its order. */
const COMPRESSIONS: Compression[] = [compressionGzip, compressionBrotli];
/** The bytes from which the library compresses a message. */
const MIN_COMPRESSED = 1_024;
