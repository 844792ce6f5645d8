import { timestampToProto } from "@cloud/rpc";
import type { ActivityRow } from "./activity-sql.ts";

export function activityToProto(row: ActivityRow) {
  return {
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
  };
}
