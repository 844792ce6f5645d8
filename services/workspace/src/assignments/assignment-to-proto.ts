import { timestampToProto } from "@cloud/contract";
import type { AssignmentRow } from "../links/assignment-sql.ts";

/** Converts a row, without the resource's id: its field has a different name for each kind. */
export function assignmentToProto(row: AssignmentRow) {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
  };
}
