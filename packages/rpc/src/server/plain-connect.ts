import type { ServerResponse } from "node:http";
import type { JsonWriteOptions } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import type { NodeRequest } from "../follow-calls.ts";
import type { PlainMethod, PlainReply, PlainRequest } from "./plain-methods.ts";

/** Recognizes an uncompressed call over HTTP/1.1 with a message of a given length. */
export function recognize(request: NodeRequest, served: PlainMethod, maxTimeoutMs: number): PlainRequest | undefined {
  const { headers, httpVersion } = request;
  const isBinary = headers["content-type"] === "application/proto";
  if (httpVersion !== "1.1" || !(isBinary || headers["content-type"] === "application/json")) return undefined;
  if (SPECIAL.some((name) => headers[name] !== undefined)) return undefined;
  const length = Number(headers["content-length"]);
  if (!(length <= served.limit)) return undefined; // absent ones too
  const deadline = headers["connect-timeout-ms"];
  const timeoutMs = deadline === undefined ? undefined : Number(deadline);
  if (timeoutMs !== undefined && !(isTimeout(deadline) && timeoutMs <= maxTimeoutMs)) return undefined;
  return { protocol: "connect", served, request, isBinary, length, timeoutMs };
}

/** Header names whose presence requires a feature that the plain path lacks. */
const SPECIAL = ["content-encoding", "accept-encoding", "transfer-encoding", "expect", "upgrade"];

const isTimeout = (value: unknown) => typeof value === "string" && /^[1-9][0-9]{0,9}$/.test(value);

/**
 * Reads a body of `length` bytes, which Node does not exceed. @throws ConnectError ABORTED if the connection ends
 * before
 */
export function readMessage(request: NodeRequest, length: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    const complete = () => {
      request.off("error", onDisconnect).off("close", onDisconnect);
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length));
    };
    const onDisconnect = () => reject(new ConnectError("the caller left while its message was read", Code.Aborted));
    request.once("end", complete).once("error", onDisconnect).once("close", onDisconnect);
  });
}

/** Writes the encoded message of a call that has succeeded. */
export function writeReply(response: ServerResponse, requestId: string, { isBinary, header, bytes }: PlainReply): void {
  const contentType = isBinary ? "application/proto" : "application/json";
  write(response, 200, ["content-type", contentType, "x-request-id", requestId, ...[...header].flat()], bytes);
}

/** Writes the error of a call, as the library does, with the id of the request. */
export function writeError(
  response: ServerResponse,
  requestId: string,
  error: ConnectError,
  options: Partial<JsonWriteOptions>,
): void {
  const headers = new Headers({ "content-type": "application/json", "x-request-id": requestId });
  if (!error.isWireError) mergeNonProtocolHeaders(headers, error.metadata);
  write(response, codeToHttpStatus(error.code), [...headers].flat(), errorToJsonBytes(error, options));
}

function write(response: ServerResponse, status: number, headers: string[], body: Uint8Array): void {
  if (response.destroyed) return;
  response.writeHead(status, [...headers, "content-length", String(body.byteLength)]);
  if (body.byteLength > COPIED) {
    response.end(body);
    return;
  }
  // Node writes a text of the same encoding together with the headers.
  response.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1"), "latin1");
}

/**
 * The largest body that is copied: a second buffer to write is dearer, as `writev` costs 30 to 100 µs on virtual
 * machines.
 */
const COPIED = 16_384;
