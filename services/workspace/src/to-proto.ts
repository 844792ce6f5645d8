import { timestampToProto } from "@cloud/access/values";
import { ActivityEventSchema, WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import { recordToProto } from "@cloud/service/records";
import type { ActivityRow } from "./activity/sql.ts";
import type { ItemRow } from "./library/sql.ts";
import type { AssignmentRow } from "./links/sql.ts";

/** The function that converts a row to its API message. */
export const workspaceToProto = recordToProto(WorkspaceSchema);

const rowOfLogToProto = recordToProto(ActivityEventSchema);

export const activityToProto = (row: ActivityRow) => rowOfLogToProto({ ...row, category: "workspace" });

/** Converts a row, without the resource's id: its field has a different name for each kind. */
export function assignmentToProto(row: AssignmentRow) {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
  };
}

/** Converts a design or a view: the two messages have the same fields. */
export function itemToProto(row: ItemRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    organizationId: row.organization_id,
    owner: row.owner,
    visibility: row.visibility,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    etag: row.etag,
    ...(row.deleted_at === null ? {} : { deletedAt: timestampToProto(row.deleted_at) }),
  };
}
