import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import {
  GetWorkspaceRequestSchema,
  GetWorkspaceResponseSchema,
  WorkspaceService,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import grpc from "@grpc/grpc-js";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startTestStack, type TestStack } from "../src/test-stack.ts";
import { type Everybody, everybody } from "./rest.ts";

let stack: TestStack;
let as: Everybody;
let first: string;
let headers: { authorization: string };
beforeAll(async () => {
  stack = await startTestStack();
  as = everybody(stack.demo);
  first = stack.demo.organizations[0]?.id ?? "";
  headers = { authorization: "Bearer " + stack.demo.users.orgAdmin.token };
});
afterAll(() => stack.stop());

const transports: Readonly<Record<string, () => Transport>> = {
  "Connect JSON": () =>
    createConnectTransport({ baseUrl: stack.services.workspace, httpVersion: "1.1", useBinaryFormat: false }),
  "Connect binary": () =>
    createConnectTransport({ baseUrl: stack.services.workspace, httpVersion: "2", useBinaryFormat: true }),
  gRPC: () => createGrpcTransport({ baseUrl: stack.services.workspace }),
  "gRPC-Web": () => createGrpcWebTransport({ baseUrl: stack.services.workspace, httpVersion: "1.1" }),
};

test.each(Object.keys(transports))("%s answers what REST answers", async (name) => {
  const client = createClient(WorkspaceService, transports[name]?.() as Transport);
  const { body } = await as.orgAdmin.post("/workspaces", { organizationId: first, name: "Surface" });
  const { workspace } = await client.getWorkspace({ id: body.id }, { headers });
  const json = workspace === undefined ? undefined : toJson(WorkspaceSchema, workspace, { alwaysEmitImplicit: true });
  const { deletedAt: _absent, ...rest } = body;
  expect(json).toMatchObject({ ...rest, createdAt: expect.any(String), updatedAt: expect.any(String) });
});

test.each(Object.keys(transports))("%s tells errors by code and reason", async (name) => {
  const client = createClient(WorkspaceService, transports[name]?.() as Transport);
  const told = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => ConnectError.from(thrown),
    );
    return [error?.code, error?.findDetails(ErrorInfoSchema)[0]?.reason];
  };
  expect(await told(client.createWorkspace({ organizationId: first, name: "x".repeat(256) }, { headers }))).toEqual([
    Code.InvalidArgument,
    "WORKSPACE_CREATE_FAILED",
  ]);
  expect(await told(client.getWorkspace({ id: "x" }, { headers }))).toEqual([Code.NotFound, "WORKSPACE_NOT_FOUND"]);
  expect(await told(client.getWorkspace({ id: "x" }))).toEqual([Code.Unauthenticated, "UNAUTHENTICATED"]);
});

test("a gRPC client of another make is understood", async () => {
  const { body } = await as.orgAdmin.post("/workspaces", { organizationId: first, name: "Other make" });
  const client = new grpc.Client(stack.services.workspace.replace("http://", ""), grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  metadata.set("authorization", headers.authorization);
  const name = await new Promise<string | undefined>((resolve, reject) =>
    client.makeUnaryRequest(
      "/workspace.v1.WorkspaceService/GetWorkspace",
      (id: string) => Buffer.from(toBinary(GetWorkspaceRequestSchema, create(GetWorkspaceRequestSchema, { id }))),
      (bytes: Buffer) => fromBinary(GetWorkspaceResponseSchema, bytes),
      body.id as string,
      metadata,
      (error, reply) => (error ? reject(error) : resolve(reply?.workspace?.name)),
    ),
  );
  client.close();
  expect(name).toBe("Other make");
});
