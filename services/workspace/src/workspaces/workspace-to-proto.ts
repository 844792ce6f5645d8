import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Workspace, WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import type { WorkspaceRow } from "./workspace-sql.ts";

/** Converts a row to its API message. */
export function workspaceToProto(row: WorkspaceRow): Workspace {
  return create(WorkspaceSchema, {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    owner: row.owner,
    metadata: row.metadata,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    deletedAt: timestampToProto(row.deleted_at),
    etag: row.etag,
  });
}
