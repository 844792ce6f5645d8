import { fromBinary, fromJson, type JsonValue, type Message, toBinary, toJson } from "@bufbuild/protobuf";
import { codeOf, ruleOf } from "@cloud/access/errors";
import type { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import grpc from "@grpc/grpc-js";
import { callRest } from "../runner/call.ts";
import type { Mapping } from "../runner/case-file.ts";
import { deriveRestRequest } from "../runner/derive-rest-request.ts";
import { spellForRest } from "../runner/field-spelling.ts";
import type { Method, Process } from "../runner/find-method.ts";

/** The outcome of a call. A failure consists of what each surface returns, completed from the catalogue. */
export type Outcome =
  | { readonly body: unknown }
  | { readonly reason: string; readonly text: string; readonly status: number; readonly rpcCode: number };

/** A way to call the system. */
export type Surface = (method: Method, request: Mapping, headers: Readonly<Record<string, string>>) => Promise<Outcome>;

export interface Addresses {
  readonly gateway: string;
  readonly services: Readonly<Record<Process, string>>;
}

/** Creates every way to call the system, by its name; `close` closes the connections that would outlive the test. */
export function createSurfaces({ gateway, services }: Addresses) {
  const clients = byProcess(
    services,
    (url) => new grpc.Client(url.replace("http://", ""), grpc.credentials.createInsecure()),
  );
  const surfaces: Readonly<Record<string, Surface>> = {
    REST: restSurface(gateway),
    "Connect JSON": connectSurface(services, "application/json", (baseUrl) =>
      createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
    ),
    "Connect binary": connectSurface(services, "application/proto", (baseUrl) =>
      createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true }),
    ),
    gRPC: connectSurface(services, "application/grpc+proto", (baseUrl) => createGrpcTransport({ baseUrl })),
    "gRPC-Web": connectSurface(services, "application/grpc-web+proto", (baseUrl) =>
      createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
    ),
    "gRPC by another implementation's client": grpcJsSurface(clients),
  };
  const close = () => {
    for (const client of Object.values(clients)) client.close();
  };
  return { surfaces, close };
}

function restSurface(gateway: string): Surface {
  return async (method, request, headers) => {
    const { status, body } = await callRest(gateway, deriveRestRequest(method, request), headers);
    if (status < 300) return { body: body ?? {} };
    const { error, code } = body as { error: string; code: string };
    return { reason: code, text: error, status, rpcCode: ruleNamed(code).rpcCode };
  };
}

/** Checks the content type of replies, so that each surface is the one of its name. */
function connectSurface(
  services: Addresses["services"],
  contentType: string,
  connect: (url: string) => Transport,
): Surface {
  const transports = byProcess(services, connect);
  return async (method, request, headers) => {
    const { desc, process } = method;
    const input = fromJson(desc.input, request as JsonValue);
    try {
      const { message, header } = await transports[process].unary(desc, undefined, undefined, headers, input);
      if (header.get("content-type") !== contentType) throw new TypeError("answered " + header.get("content-type"));
      return { body: unwrap(method, message) };
    } catch (error) {
      if (error instanceof ConnectError) return failure(error);
      throw error;
    }
  };
}

function grpcJsSurface(clients: Readonly<Record<Process, grpc.Client>>): Surface {
  return (method, request, headers) => {
    const { desc, process } = method;
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return new Promise((resolve) =>
      clients[process].makeUnaryRequest(
        "/" + desc.parent.typeName + "/" + desc.name,
        (message: Message) => Buffer.from(toBinary(desc.input, message)),
        (bytes: Buffer) => fromBinary(desc.output, bytes),
        fromJson(desc.input, request as JsonValue),
        metadata,
        (error, reply) => resolve(error === null ? { body: unwrap(method, reply) } : grpcJsFailure(error)),
      ),
    );
  };
}

function grpcJsFailure({ code, details, metadata }: grpc.ServiceError): Outcome {
  const trailer = new Headers({ "grpc-status": String(code), "grpc-message": encodeURIComponent(details) });
  for (const bytes of metadata.get("grpc-status-details-bin")) {
    trailer.set("grpc-status-details-bin", Buffer.from(bytes).toString("base64"));
  }
  return failure(ConnectError.from(findTrailerError(trailer)));
}

function failure(error: ConnectError): Outcome {
  const reason = error.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
  return { reason, text: spellForRest(error.rawMessage), status: ruleNamed(reason).httpStatus, rpcCode: error.code };
}

/** An unknown reason has no status. */
function ruleNamed(code: string): { httpStatus: number; rpcCode: number } {
  const value = ReasonSchema.values.find(({ number }) => codeOf(number as Reason) === code);
  return value === undefined ? { httpStatus: 0, rpcCode: 0 } : ruleOf(value.number as Reason);
}

function unwrap({ desc, rule }: Method, message: Message | undefined): unknown {
  if (message === undefined) return undefined;
  const json = toJson(desc.output, message, { alwaysEmitImplicit: true }) as Mapping;
  const field = desc.output.fields.find(({ name }) => name === rule?.responseBody);
  return field === undefined ? json : json[field.jsonName];
}

function byProcess<T>(services: Addresses["services"], make: (url: string) => T): Readonly<Record<Process, T>> {
  const { workspace, environment, identity } = services;
  return { workspace: make(workspace), environment: make(environment), identity: make(identity) };
}
