import http from "node:http";
import http2 from "node:http2";
import { buffer } from "node:stream/consumers";
import { Code, ConnectError } from "@connectrpc/connect";
import { errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";

/** Bytes as a client sends them. */
export interface RawRequest {
  readonly path: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: Uint8Array;
}

export interface RawReply {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly trailers: http.IncomingHttpHeaders;
}

export type Send = (url: string, request: RawRequest) => Promise<RawReply>;

/** Sends a POST over HTTP/1.1. */
export const sendHttp1: Send = (url, { path, headers, body }) =>
  new Promise((resolve, reject) => {
    const request = http.request(url + path, { method: "POST", headers, agent: false });
    request.once("error", reject);
    request.once("response", (reply) => {
      const { statusCode: status, headers: received } = reply;
      buffer(reply).then((content) => {
        resolve({ status, headers: received, body: content, trailers: reply.trailers });
      }, reject);
    });
    request.end(body);
  });

/** Sends a POST over cleartext HTTP/2. */
export const sendHttp2: Send = async (url, { path, headers, body }) => {
  const session = http2.connect(url);
  try {
    const stream = session.request({ ...headers, ":method": "POST", ":path": path });
    const replied = new Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader>((resolve, reject) =>
      stream.once("response", resolve).once("error", reject),
    );
    let trailers: http.IncomingHttpHeaders = {};
    stream.once("trailers", (received) => {
      trailers = received;
    });
    stream.end(body);
    const received = await replied;
    return { status: received[":status"], headers: received, body: await buffer(stream), trailers };
  } finally {
    session.destroy(); // a server that refuses a large body early closes its stream up to 2 s later
  }
};

/** Puts the prefix of gRPC and gRPC-Web before a message. */
export function frame(message: Uint8Array, { flags = 0, length = message.length } = {}): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags, 0);
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

/** Reads the error of a call, where the protocol puts it. */
export function errorOf({ status, headers, body, trailers }: RawReply): ConnectError {
  const noError = new ConnectError(`HTTP ${status}, no error: ${body.toString()}`, Code.Unknown);
  const contentType = headers["content-type"] ?? "";
  if (!contentType.startsWith("application/grpc")) return errorFromJsonBytes(body, undefined, noError);
  const end = contentType.startsWith("application/grpc-web") ? lastTrailers(body) : webHeaders(trailers);
  return findTrailerError(end) ?? findTrailerError(webHeaders(headers)) ?? noError;
}

function lastTrailers(body: Buffer): Headers {
  let end = new Headers();
  for (let at = 0; at < body.length; at += 5 + body.readUInt32BE(at + 1)) {
    const content = body.subarray(at + 5, at + 5 + body.readUInt32BE(at + 1));
    if ((body.readUInt8(at) & trailerFlag) !== 0) end = trailerParse(content);
  }
  return end;
}

function webHeaders(headers: http.IncomingHttpHeaders): Headers {
  const entries = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return new Headers(entries.map(([name, value]) => [name, String(value)]));
}
