import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { HealthCheckRequestSchema, HealthCheckResponseSchema } from "@cloud/proto/grpc/health/v1/health_pb";
import {
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "@cloud/proto/grpc/reflection/v1/reflection_pb";
import grpc from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { RpcServer } from "../src/index.ts";
import { startUnbuiltServer } from "./start-unbuilt-server.ts";

// grpc-js is another implementation of gRPC than the server's.
let server: RpcServer;
let client: grpc.Client;

beforeAll(async () => {
  server = await startUnbuiltServer();
  client = new grpc.Client(server.url.replace("http://", ""), grpc.credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await server.stop();
});

test("grpc.health.v1 reports a service as serving, and any other as unknown", async () => {
  const check = (service: string) =>
    new Promise<string>((resolve, reject) =>
      client.makeUnaryRequest(
        "/grpc.health.v1.Health/Check",
        (request: Parameters<typeof encode>[0]) => encode(request),
        (bytes: Buffer) => fromBinary(HealthCheckResponseSchema, bytes),
        { service },
        (error, reply) => (error ? reject(error) : resolve(String(reply?.status))),
      ),
    );
  const encode = (request: { service: string }) =>
    Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, request)));
  await expect(check("")).resolves.toBe("1");
  await expect(check("workspace.v1.WorkspaceService")).resolves.toBe("1");
  await expect(check("unknown.v1.Service")).rejects.toMatchObject({ code: grpc.status.NOT_FOUND });
});

type Question = { case: "listServices" | "fileContainingSymbol" | "fileByFilename"; value: string };

function reflect(messageRequest: Question, version = "v1"): Promise<ServerReflectionResponse["messageResponse"]> {
  return new Promise((resolve, reject) => {
    const call = client.makeBidiStreamRequest(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      (request: Question) => {
        const message = create(ServerReflectionRequestSchema, { messageRequest: request } as never);
        return Buffer.from(toBinary(ServerReflectionRequestSchema, message));
      },
      (bytes: Buffer) => fromBinary(ServerReflectionResponseSchema, bytes),
    );
    call.on("data", (reply: ServerReflectionResponse) => resolve(reply.messageResponse));
    call.on("error", reject);
    call.write(messageRequest);
    call.end();
  });
}

/** Returns the names of the files of a reply, or its error. */
function filesOf(reply: ServerReflectionResponse["messageResponse"]): string[] | string | undefined {
  if (reply.case === "errorResponse") return `${grpc.status[reply.value.errorCode]}: ${reply.value.errorMessage}`;
  if (reply.case !== "fileDescriptorResponse") return undefined;
  return reply.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
}

test.each(["v1", "v1alpha"])("reflection %s lists the services and returns their files", async (version) => {
  const listed = await reflect({ case: "listServices", value: "" }, version);
  expect(listed.case === "listServicesResponse" && listed.value.service.map((service) => service.name)).toEqual([
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "workspace.v1.WorkspaceService",
  ]);
  const symbol = "workspace.v1.WorkspaceService.GetWorkspace";
  const names = filesOf(await reflect({ case: "fileContainingSymbol", value: symbol }, version));
  expect(names).toContain("workspace/v1/workspace_service.proto");
  expect(names).toContain("google/api/annotations.proto");
});

test.each([
  ["a message", "workspace.v1.GetWorkspaceRequest", "workspace/v1/workspace_service.proto"],
  ["a field", "workspace.v1.GetWorkspaceRequest.id", "workspace/v1/workspace_service.proto"],
  ["a oneof", "google.protobuf.Value.kind", "google/protobuf/struct.proto"],
  ["a value of an enum", "google.protobuf.NULL_VALUE", "google/protobuf/struct.proto"],
  ["a nested enum", "grpc.health.v1.HealthCheckResponse.ServingStatus", "grpc/health/v1/health.proto"],
  ["a value of a nested enum", "grpc.health.v1.HealthCheckResponse.SERVING", "grpc/health/v1/health.proto"],
  ["a nested message", "google.protobuf.Struct.FieldsEntry", "google/protobuf/struct.proto"],
  ["an extension", "google.api.http", "google/api/annotations.proto"],
])("reflection finds the file of %s", async (_, value, file) => {
  expect(filesOf(await reflect({ case: "fileContainingSymbol", value }))).toContain(file);
});

test.each<[string, Question]>([
  ["an unknown RPC", { case: "fileContainingSymbol", value: "workspace.v1.WorkspaceService.Nope" }],
  ["an unknown field", { case: "fileContainingSymbol", value: "workspace.v1.GetWorkspaceRequest.nope" }],
  ["what is below a field", { case: "fileContainingSymbol", value: "workspace.v1.GetWorkspaceRequest.id.nope" }],
  ["a value below its enum", { case: "fileContainingSymbol", value: "google.protobuf.NullValue.NULL_VALUE" }],
  ["an unknown service", { case: "fileContainingSymbol", value: "workspace.v1.Nope" }],
  ["a package", { case: "fileContainingSymbol", value: "workspace.v1" }],
  ["a file without its extension", { case: "fileByFilename", value: "workspace/v1/workspace_service" }],
])("reflection does not find %s", async (_, question) => {
  expect(filesOf(await reflect(question))).toBe(`NOT_FOUND: not found: ${question.value}`);
});
