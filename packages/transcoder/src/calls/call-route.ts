import { fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { type BinaryText, compileReply, renderText, type WriteReply } from "../json-out/compiled/compile-reply.ts";
import type { JsonOptions } from "../json-out/json-options.ts";
import type { Route } from "../rules/route.ts";
import type { ReplyHeaders } from "./route-transport.ts";

/** The reply of an RPC. */
export interface Reply {
  /** Returns the message; decoded once, and only if it is asked for. */
  readonly message: () => Message;
  /** Writes the reply, or its response field, as JSON. */
  readonly json: () => BinaryText;
  readonly headers: ReplyHeaders;
}

/** Calls the RPC of a route. */
export type CallRoute = (
  route: Route,
  message: Message,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
) => Promise<Reply>;

/** Creates the calls of all routes: by bytes where the transport passes them, which saves decoding the reply. */
export function createRouteCalls(deadlineMs: number, answerLimit: number, options: JsonOptions): CallRoute {
  const writers = new Map<Route, WriteReply>();
  const writerOf = (route: Route): WriteReply => {
    const known = writers.get(route);
    if (known !== undefined) return known;
    const compiled = compileReply(route.method.output, route.responseField, answerLimit, options);
    writers.set(route, compiled);
    return compiled;
  };
  return async (route, message, signal, headers) => {
    const { method, transport, responseField } = route;
    if (transport.unaryBinary === undefined) {
      const { message: reply, header } = await transport.unary(method, signal, deadlineMs, headers, message);
      return {
        message: () => reply,
        json: () => renderText(method.output, reply, responseField, answerLimit, options),
        headers: Object.fromEntries(header),
      };
    }
    const request = toBinary(method.input, message);
    const reply = await transport.unaryBinary(method, signal, deadlineMs, headers, request);
    const bytes = reply.message;
    let decoded: Message | undefined;
    return {
      message() {
        decoded ??= fromBinary(method.output, bytes);
        return decoded;
      },
      json: () => writerOf(route)(bytes),
      headers: reply.headers,
    };
  };
}
