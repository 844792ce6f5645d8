import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import {
  GetWorkspaceResponseSchema,
  ListWorkspacesResponseSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";

const AT = timestampFromDate(new Date("2026-01-02T03:04:05.678Z"));

const workspace = (index: number): MessageInitShape<typeof WorkspaceSchema> => ({
  id: `01930000-0000-7000-8000-${String(index).padStart(12, "0")}`,
  name: `Workspace ${index}`,
  description: "One of many that the benchmark reads",
  organizationId: "01930000-0000-7000-8000-aaaaaaaaaaaa",
  owner: "01930000-0000-7000-8000-bbbbbbbbbbbb",
  metadata: { stage: "production", tier: 2, labels: ["a", "b"] },
  createdAt: AT,
  updatedAt: AT,
  etag: '"bef0bd537cc09ea8"',
});

export const oneWorkspace = create(GetWorkspaceResponseSchema, { workspace: workspace(0) });

export const listOf25 = create(ListWorkspacesResponseSchema, {
  page: 0,
  pageSize: 25,
  totalCount: 25,
  workspaces: Array.from({ length: 25 }, (_, index) => workspace(index)),
});

/** The bytes of each RPC's reply by its path. */
export const replies: ReadonlyMap<string, Buffer> = new Map([
  ["/workspace.v1.WorkspaceService/GetWorkspace", Buffer.from(toBinary(GetWorkspaceResponseSchema, oneWorkspace))],
  ["/workspace.v1.WorkspaceService/ListWorkspaces", Buffer.from(toBinary(ListWorkspacesResponseSchema, listOf25))],
]);
