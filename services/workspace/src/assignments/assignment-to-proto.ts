import { timestampToProto } from "@cloud/rpc";
import type { AssignmentRow } from "./assignment-sql.ts";

/** Without the resource, whose field has another name in each kind. */
export function assignmentToProto(row: AssignmentRow) {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
  };
}
