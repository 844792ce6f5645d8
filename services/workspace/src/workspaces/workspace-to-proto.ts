import { timestampToProto } from "@cloud/rpc";
import type { WorkspaceRow } from "./workspace-sql.ts";

export function workspaceToProto(row: WorkspaceRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    owner: row.owner,
    metadata: row.metadata,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    ...(row.deleted_at === null ? {} : { deletedAt: timestampToProto(row.deleted_at) }),
  };
}
