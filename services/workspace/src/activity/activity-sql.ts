import type { JsonObject } from "@bufbuild/protobuf";
import { prepared, type Sql, selectPage } from "@cloud/postgres";
import { type Id, type ListParameters, newId, type OrganizationId, type WorkspaceId } from "@cloud/rpc";

export type Action = "create" | "update" | "delete" | "assign" | "unassign";
export type Severity = "success" | "error";

/** One line of the log before it is written. */
export interface Activity {
  readonly workspaceId: WorkspaceId;
  readonly organizationId: OrganizationId;
  /** Who did it; empty when the system did. */
  readonly owner: string;
  readonly action: Action;
  readonly severity: Severity;
  readonly description: string;
  readonly actedUpon: string;
  readonly actedUponKind: string;
  readonly metadata: JsonObject;
}

export interface ActivityRow {
  id: string;
  workspace_id: WorkspaceId;
  organization_id: OrganizationId;
  owner: string;
  action: Action;
  severity: Severity;
  description: string;
  acted_upon: string;
  acted_upon_kind: string;
  metadata: JsonObject;
  created_at: Date;
}

const columns =
  "id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, metadata, " +
  "created_at";

// clock_timestamp, not now: the events of one transaction follow each other.
const insertNow = prepared(
  "insert into activity_events (" + columns + ") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp())",
);

export async function insertActivity(sql: Sql, activity: Activity): Promise<void> {
  await sql.query(insertNow, [
    newId<Id>(),
    activity.workspaceId,
    activity.organizationId,
    activity.owner,
    activity.action,
    activity.severity,
    activity.description,
    activity.actedUpon,
    activity.actedUponKind,
    JSON.stringify(activity.metadata),
  ]);
}

/** A page of a workspace's log. */
export async function selectActivities(sql: Sql, workspaceId: WorkspaceId, query: ListParameters) {
  return selectPage<ActivityRow>(sql, {
    // An event is never updated: both orders by date are the same.
    columns: columns + ", created_at as updated_at",
    from: "activity_events",
    where: "workspace_id = $1",
    params: [workspaceId],
    searchColumns: ["description"],
    ...query,
    order: { ...query.order, column: "created_at" },
  });
}
