import { codeOf, reasonOf } from "@cloud/access/errors";
import { errorOf, frame, type RawReply, type Send, sendHttp1, sendHttp2 } from "./raw-call.ts";

/** A protocol on a version of HTTP, in one of its formats. */
export interface Wire {
  readonly send: Send;
  readonly contentType: string;
}

export const WIRES: readonly (readonly [string, Wire])[] = [
  ["gRPC", { send: sendHttp2, contentType: "application/grpc" }],
  ["gRPC-Web, HTTP/1.1", { send: sendHttp1, contentType: "application/grpc-web+proto" }],
  ["gRPC-Web, HTTP/2", { send: sendHttp2, contentType: "application/grpc-web+proto" }],
  ["Connect, HTTP/1.1", { send: sendHttp1, contentType: "application/proto" }],
  ["Connect, HTTP/2", { send: sendHttp2, contentType: "application/proto" }],
  ["Connect JSON, HTTP/1.1", { send: sendHttp1, contentType: "application/json" }],
];

const isGrpc = ({ contentType }: Wire) => contentType.startsWith("application/grpc");

/** Returns an empty message in the format of the wire. */
export function emptyMessage(wire: Wire): Buffer {
  const message = Buffer.from(wire.contentType.endsWith("json") ? "{}" : "");
  return isGrpc(wire) ? frame(message) : message;
}

/** Returns `ok`, or the reason and the text of a failure. */
export function outcomeOf(wire: Wire, reply: RawReply): string {
  if (!isGrpc(wire) && reply.status === 200) return "ok";
  const error = errorOf(reply);
  if (error.rawMessage.startsWith("HTTP 200, no error")) return "ok";
  return `${codeOf(reasonOf(error))}: ${error.rawMessage}`;
}

export const UNAUTHENTICATED = "UNAUTHENTICATED: a valid security token is required";

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
