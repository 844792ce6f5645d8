import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { createServiceTransport } from "@cloud/rpc";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import type { Mapping, RestRequest } from "./case-file.ts";
import { findMethod, type Method, type Process } from "./find-method.ts";

export type Headers = Readonly<Record<string, string>>;

export interface RestResponse {
  readonly status: number;
  readonly headers: Mapping;
  /** Undefined if there is none. */
  readonly body: unknown;
}

/** Sends a request to the gateway. A body of text or bytes is sent unchanged, any other as JSON. */
export async function callRest(gateway: string, request: RestRequest, headers: Headers): Promise<RestResponse> {
  const body = bytesOf(request);
  const contentType = request.contentType ?? (typeof request.body === "object" ? "application/json" : undefined);
  const response = await fetch(`${gateway}/api${request.path}`, {
    method: request.method,
    // As bytes, so that fetch adds no content type of its own.
    ...(body === undefined ? {} : { body }),
    headers: { ...headers, ...(contentType === undefined ? {} : { "content-type": contentType }) },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text === "" ? undefined : (JSON.parse(text) as unknown),
  };
}

function bytesOf({ body, bytes }: RestRequest): Buffer<ArrayBuffer> | undefined {
  if (bytes !== undefined) return Buffer.from(bytes, "hex");
  if (body === undefined) return undefined;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

/** The result of a call by RPC: the reply's JSON, unwrapped as in REST, or the failure. */
export type RpcReply = { readonly body: unknown } | { readonly failure: RpcFailure };

export interface RpcFailure {
  /** The Connect code's name, such as `not_found`. */
  readonly rpc: string;
  readonly error: string;
  /** The reason in the google.rpc.ErrorInfo; "" without one. */
  readonly code: string;
}

export type CallRpc = (name: string, request: Mapping, headers: Headers) => Promise<RpcReply>;

/** Calls any method by gRPC. Throws if a request does not fit the method, which is an error of the case. */
export function createRpcCaller(addresses: Readonly<Record<Process, string>>): CallRpc {
  const connect = (process: Process) => createServiceTransport({ url: addresses[process], deadlineMs: 15_000 });
  const transports: Readonly<Record<Process, Transport>> = {
    workspace: connect("workspace"),
    environment: connect("environment"),
    identity: connect("identity"),
  };
  return async (name, request, headers) => {
    const method = findMethod(name);
    const input = fromJson(method.desc.input, request as JsonValue);
    try {
      const transport = transports[method.process];
      const { message } = await transport.unary(method.desc, undefined, undefined, headers, input);
      return { body: unwrap(method, toJson(method.desc.output, message, { alwaysEmitImplicit: true }) as Mapping) };
    } catch (error) {
      return { failure: failureOf(ConnectError.from(error)) };
    }
  };
}

function unwrap({ desc, rule }: Method, reply: Mapping): unknown {
  const field = desc.output.fields.find(({ name }) => name === rule?.responseBody);
  return field === undefined ? reply : reply[field.jsonName];
}

function failureOf(error: ConnectError): RpcFailure {
  const code = error.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
  return { rpc: codeName(error.code), error: error.rawMessage, code };
}

/** The name in Connect's spelling: `failed_precondition`. */
export const codeName = (code: Code): string =>
  (Code[code] ?? "unknown").replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
