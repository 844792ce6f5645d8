import { afterCursor, type Cursor, type OrganizationId, type WorkspaceId } from "@cloud/contract";
import { type Sql, sql } from "@cloud/postgres";
import { liveCount } from "@cloud/service";
import { type ActivityRow, activityColumns } from "./activity-sql.ts";

const selectOfOrganization = sql`
  select ${activityColumns}
  from activity_events
  where organization_id = $1 and (created_at, id) < ($2, $3)
  order by created_at desc, id desc
  limit $4`;

/** Returns the next `limit` lines of the logs of an organization's workspaces after the cursor, newest first. */
export async function selectActivitiesOfOrganization(
  db: Sql,
  organizationId: OrganizationId,
  cursor: Cursor | undefined,
  limit: number,
): Promise<ActivityRow[]> {
  return (await db.query<ActivityRow>(selectOfOrganization, [organizationId, ...afterCursor(cursor), limit])).rows;
}

const selectOlder = sql`
  select ${activityColumns}
  from activity_events
  where workspace_id = $1 and (created_at, id) < ($2, $3)
  order by created_at desc, id desc
  limit $4`;
const selectNewer = sql`
  select ${activityColumns}
  from activity_events
  where workspace_id = $1 and (created_at, id) > ($2, $3)
  order by created_at, id
  limit $4`;
const count = sql`
  select ${liveCount(sql`list = 'activity_events'`, sql`= $1`)} as count`;

/** Returns the next `limit` lines of a workspace's log after the cursor in the direction, and how many there are in all. */
export async function selectActivitiesAfter(
  db: Sql,
  workspaceId: WorkspaceId,
  { cursor, direction, limit }: { readonly cursor: Cursor; readonly direction: "asc" | "desc"; readonly limit: number },
): Promise<{ readonly totalCount: number; readonly rows: readonly ActivityRow[] }> {
  const text = direction === "desc" ? selectOlder : selectNewer;
  const { rows } = await db.query<ActivityRow>(text, [workspaceId, cursor.createdAt, cursor.id, limit]);
  const counted = await db.query<{ count: string }>(count, [workspaceId]);
  return { totalCount: Number(counted.rows[0]?.count ?? 0), rows };
}
