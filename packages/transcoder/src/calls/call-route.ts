import { type DescMethodUnary, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import {
  type BinaryText,
  compileReply,
  messagesOf,
  renderText,
  type WriteReply,
} from "../json-out/compiled/compile-reply.ts";
import type { JsonOptions } from "../json-out/json-options.ts";
import type { Route } from "../rules/route.ts";
import type { ReplyHeaders } from "./route-transport.ts";

/** The reply of an RPC. */
export interface Reply {
  /** Returns the message; decoded once, and only if it is asked for. */
  readonly message: () => Message;
  /** Writes the reply, or its response field, as JSON. */
  readonly json: () => BinaryText;
  /** Those of the reply, and its trailers. */
  readonly headers: ReplyHeaders;
}

/** Calls an RPC; `deadlineMs` is what is left of its time. */
export type CallUnary = (
  message: Message,
  signal: AbortSignal,
  deadlineMs: number,
  headers: Readonly<Record<string, string>>,
) => Promise<Reply>;

/** Creates the call of a unary RPC: by bytes where the transport passes them, which saves decoding the reply. */
export function createUnaryCall(
  route: Route,
  answerLimit: number,
  options: JsonOptions,
  jsonDepth?: number,
): CallUnary {
  const { transport, responseField } = route;
  const method = route.method as DescMethodUnary;
  const { unaryBinary } = transport;
  if (unaryBinary === undefined) {
    return async (message, signal, deadlineMs, headers) => {
      const reply = await transport.unary(method, signal, deadlineMs, headers, message);
      return {
        message: () => reply.message,
        json: () => renderText(method.output, reply.message, responseField, answerLimit, options),
        headers: { ...Object.fromEntries(reply.trailer ?? []), ...Object.fromEntries(reply.header) },
      };
    };
  }
  const decoding = { recursionLimit: messagesOf(jsonDepth) };
  // Compiled with the first reply: a program that starts serves none of most routes for a while.
  let write: WriteReply | undefined;
  return async (message, signal, deadlineMs, headers) => {
    const request = toBinary(method.input, message);
    const reply = await unaryBinary(method, signal, deadlineMs, headers, request);
    const bytes = reply.message;
    let decoded: Message | undefined;
    return {
      message() {
        decoded ??= fromBinary(method.output, bytes, decoding);
        return decoded;
      },
      json() {
        write ??= compileReply(method.output, responseField, answerLimit, options, decoding.recursionLimit);
        return write(bytes);
      },
      headers: reply.headers,
    };
  };
}
