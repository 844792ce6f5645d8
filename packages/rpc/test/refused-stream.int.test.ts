import { create, createFileRegistry, type DescService, setExtension } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, MethodOptionsSchema } from "@bufbuild/protobuf/wkt";
import { Scope, scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { startUserServer, USER } from "./start-user-server.ts";
import { bearer } from "./wires.ts";

const KINDS = { Upload: [true, false], Watch: [false, true], Chat: [true, true] } as const;
const service = createStreamService();
let server: RpcServer;

/** A service with an RPC of each streaming kind, for users. */
function createStreamService(): DescService {
  const options = create(MethodOptionsSchema);
  setExtension(options, scope, Scope.CALLER);
  const [inputType, outputType] = [".test.v1.Empty", ".test.v1.Empty"];
  const method = Object.entries(KINDS).map(([name, [clientStreaming, serverStreaming]]) => ({
    ...{ name, inputType, outputType, clientStreaming, serverStreaming, options },
  }));
  const file = create(FileDescriptorProtoSchema, {
    ...{ name: "test/v1/stream.proto", package: "test.v1", syntax: "proto3" },
    messageType: [{ name: "Empty" }],
    service: [{ name: "StreamService", method }],
  });
  const set = create(FileDescriptorSetSchema, { file: [file] });
  const found = createFileRegistry(set).getService("test.v1.StreamService");
  if (found === undefined) throw new TypeError("no service");
  return found;
}

beforeAll(async () => {
  const reply = async function* (requests: AsyncIterable<unknown>) {
    for await (const _ of requests) yield {};
  };
  const implementation = {
    upload: async (requests: AsyncIterable<unknown>) => {
      for await (const _ of requests);
      return {};
    },
    watch: async function* () {
      yield {};
    },
    chat: reply,
  };
  server = await startUserServer({
    services: [service],
    routes: (router) => router.service(service, implementation as never),
  });
});
afterAll(() => server.stop());

const transports: Readonly<Record<string, () => Transport>> = {
  gRPC: () => createGrpcTransport({ baseUrl: server.url }),
  "gRPC-Web": () => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "2" }),
  Connect: () => createConnectTransport({ baseUrl: server.url, httpVersion: "2" }),
  "Connect JSON": () => createConnectTransport({ baseUrl: server.url, httpVersion: "2", useBinaryFormat: false }),
};

describe.each(Object.keys(transports))("a stream over %s", (name) => {
  const call = async (method: keyof typeof KINDS, token: string) => {
    const desc = service.methods.find((one) => one.name === method);
    const input = async function* () {
      yield {};
    };
    const transport = transports[name]?.() as Transport;
    const response = await transport.stream(desc as never, undefined, 20_000, bearer(token), input() as never);
    let received = 0;
    for await (const _ of response.message) received++;
    return received;
  };

  test.each(["Upload", "Watch", "Chat"] as const)("%s is refused before its messages", async (method) => {
    const error = await call(method, "unknown").catch(ConnectError.from);
    expect(error).toMatchObject({ code: Code.Unauthenticated, rawMessage: "a valid security token is required" });
  });

  test.each(["Upload", "Watch", "Chat"] as const)("%s is served to a user", async (method) => {
    expect(await call(method, USER)).toBe(1);
  });
});
