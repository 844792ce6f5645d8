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

test.each(["v1", "v1alpha"])("reflection %s lists the services and returns their files", async (version) => {
  const reflect = (messageRequest: { case: "listServices" | "fileContainingSymbol"; value: string }) =>
    new Promise<ServerReflectionResponse["messageResponse"]>((resolve, reject) => {
      const call = client.makeBidiStreamRequest(
        "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo",
        (request: typeof messageRequest) =>
          Buffer.from(
            toBinary(
              ServerReflectionRequestSchema,
              create(ServerReflectionRequestSchema, { messageRequest: request } as never),
            ),
          ),
        (bytes: Buffer) => fromBinary(ServerReflectionResponseSchema, bytes),
      );
      call.on("data", (reply: ServerReflectionResponse) => resolve(reply.messageResponse));
      call.on("error", reject);
      call.write(messageRequest);
      call.end();
    });
  const listed = await reflect({ case: "listServices", value: "" });
  expect(listed.case === "listServicesResponse" && listed.value.service.map((service) => service.name)).toEqual([
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "workspace.v1.WorkspaceService",
  ]);
  const files = await reflect({ case: "fileContainingSymbol", value: "workspace.v1.WorkspaceService.GetWorkspace" });
  const names =
    files.case === "fileDescriptorResponse" &&
    files.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
  expect(names).toContain("workspace/v1/workspace_service.proto");
  expect(names).toContain("google/api/annotations.proto");
});
