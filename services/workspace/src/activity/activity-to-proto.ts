import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type ActivityEvent, ActivityEventSchema } from "@cloud/proto/workspace/v1/records_pb";
import type { ActivityRow } from "./activity-sql.ts";

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
