import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/access/values";
import {
  type ActivityEvent,
  ActivityEventSchema,
  type Workspace,
  WorkspaceSchema,
} from "@cloud/proto/workspace/v1/records_pb";
import type { ActivityRow } from "./activity/sql.ts";
import type { ItemRow } from "./library/sql.ts";
import type { AssignmentRow } from "./links/sql.ts";
import type { WorkspaceRow } from "./workspaces/sql.ts";

/** Converts a row to its API message. */
export function activityToProto(row: ActivityRow): ActivityEvent {
  return create(ActivityEventSchema, {
    id: row.id,
    workspaceId: row.workspace_id,
    organizationId: row.organization_id,
    owner: row.owner,
    category: "workspace",
    action: row.action,
    severity: row.severity,
    description: row.description,
    actedUpon: row.acted_upon,
    actedUponKind: row.acted_upon_kind,
    metadata: row.metadata,
    createdAt: timestampToProto(row.created_at),
  });
}

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
