import {
  type DescMethod,
  type DescMethodServerStreaming,
  fromJson,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { reasonOf, ruleOf } from "@cloud/access/errors";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { callRest } from "../../cases/runner/call.ts";
import { deriveRestRequest } from "../../cases/runner/derive-rest-request.ts";
import type { Transports } from "./open-transports.ts";
import type { MethodRequest } from "./promised-methods.ts";
import type { ServedMethod } from "./served-methods.ts";

export interface Reply {
  /** The status of REST. A success by RPC has none. */
  readonly status?: number;
  /** The text of a failure. */
  readonly error?: string;
  readonly body?: unknown;
}

/** Calls a method with a token, or without one. */
export type CallMethod = (method: ServedMethod, request: MethodRequest, token: string | undefined) => Promise<Reply>;

const headersOf = (token: string | undefined) => (token === undefined ? {} : { authorization: "Bearer " + token });

/** Returns calls of the gateway. */
export function callByRest(gateway: string): CallMethod {
  return async (method, request, token) => {
    const { status, body } = await callRest(gateway, deriveRestRequest(method, request), headersOf(token));
    return status < 400 ? { status, body } : { status, error: (body as { error: string }).error };
  };
}

/** Returns calls of the services themselves. */
export function callByRpc(transports: Transports): CallMethod {
  return async ({ desc }, request, token) => {
    const transport = transports.of(desc.parent.file.proto.package);
    const message = fromJson(desc.input, request as JsonValue);
    try {
      if (isStream(desc)) return await readFirst(transport, desc, message, token);
      const reply = await transport.unary(desc, undefined, undefined, headersOf(token), message);
      return { body: toJson(desc.output, reply.message, { alwaysEmitImplicit: true }) };
    } catch (error) {
      return { status: ruleOf(reasonOf(error)).httpStatus, error: ConnectError.from(error).rawMessage };
    }
  };
}

const isStream = (desc: DescMethod): desc is DescMethodServerStreaming => desc.methodKind === "server_streaming";

/** Opens a stream, waits for its first message, and leaves. */
async function readFirst(transport: Transport, desc: DescMethodServerStreaming, message: Message, token?: string) {
  const leaving = new AbortController();
  const input = (async function* () {
    yield message;
  })();
  const reply = await transport.stream(desc, leaving.signal, undefined, headersOf(token), input);
  await reply.message[Symbol.asyncIterator]().next();
  leaving.abort();
  return {};
}
