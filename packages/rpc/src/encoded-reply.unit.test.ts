import { create, toBinary } from "@bufbuild/protobuf";
import { DirectoryService } from "@cloud/proto/environment/v1/directory_service_pb";
import { ListWorkspaceEnvironmentsResponseSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { expect, test } from "@jest/globals";
import type { ServiceTransport } from "./client/service-transport.ts";
import { forwardReply } from "./encoded-reply.ts";

const { selectEnvironments } = DirectoryService.method;
const page = {
  page: 1,
  pageSize: 25,
  totalCount: 26,
  environments: [{ id: "1", name: "One", metadata: { a: [null] } }],
};

const replying = (bytes: Uint8Array) =>
  ({ unaryBinary: async () => ({ message: bytes, headers: {} }) }) as unknown as ServiceTransport;

test("passes the bytes on, which decode to the other message", async () => {
  const bytes = toBinary(selectEnvironments.output, create(selectEnvironments.output, page));
  const reply = await forwardReply(replying(bytes), selectEnvironments, ListWorkspaceEnvironmentsResponseSchema)({});
  expect(reply.bytes).toBe(bytes);
  expect(reply.decode()).toEqual(create(ListWorkspaceEnvironmentsResponseSchema, page));
});
