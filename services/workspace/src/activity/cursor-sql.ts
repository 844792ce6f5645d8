import { afterCursor, type Cursor, type LogCursor } from "@cloud/access/lists";
import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement } from "@cloud/postgres";
import { followedLines, liveCount } from "@cloud/service/records";
import { type ActivityRow, activityColumns, type FollowedActivityRow } from "./sql.ts";

const selectOfOrganization = statement<ActivityRow>`
  select ${activityColumns}
  from activity_events
  where organization_id = $1 and (created_at, id) < ($2, $3)
  order by created_at desc, id desc
  limit $4`;

/** Returns the next `limit` lines of the logs of an organization's workspaces after the cursor, newest first. */
export async function selectActivitiesOfOrganization(
  db: Reader,
  organizationId: OrganizationId,
  cursor: Cursor | undefined,
  limit: number,
): Promise<ActivityRow[]> {
  return (await db.read(selectOfOrganization, [organizationId, ...afterCursor(cursor), limit])).rows;
}

const selectNextOfOrganization = followedLines({
  table: sql`activity_events`,
  columns: activityColumns,
  where: sql`organization_id = $1`,
});

/** Returns the next `limit` lines of the logs of an organization's workspaces after the cursor, oldest first. */
export async function selectNextActivitiesOfOrganization(
  db: Reader,
  organizationId: OrganizationId,
  cursor: LogCursor,
  limit: number,
): Promise<FollowedActivityRow[]> {
  return await selectNextOfOrganization<ActivityRow>(db, organizationId, cursor, limit);
}

const selectOlder = statement<ActivityRow>`
  select ${activityColumns}
  from activity_events
  where workspace_id = $1 and (created_at, id) < ($2, $3)
  order by created_at desc, id desc
  limit $4`;
const selectNext = followedLines({
  table: sql`activity_events`,
  columns: activityColumns,
  where: sql`workspace_id = $1`,
});
const count = statement<{ count: string }>`
  select ${liveCount(sql`list = 'activity_events'`, sql`= $1`)} as count`;

/** Returns the next `limit` lines of a workspace's log after the cursor, newest first. */
export async function selectOlderActivities(
  db: Reader,
  workspaceId: WorkspaceId,
  cursor: Cursor | undefined,
  limit: number,
): Promise<ActivityRow[]> {
  return (await db.read(selectOlder, [workspaceId, ...afterCursor(cursor), limit])).rows;
}

/** Returns the next `limit` lines, oldest first, with earlier lines whose transactions have committed since. */
export async function selectNextActivities(
  db: Reader,
  workspaceId: WorkspaceId,
  cursor: LogCursor,
  limit: number,
): Promise<FollowedActivityRow[]> {
  return await selectNext<ActivityRow>(db, workspaceId, cursor, limit);
}

/** Returns the number of lines in the log of a workspace. */
export async function countActivities(db: Reader, workspaceId: WorkspaceId): Promise<number> {
  return Number(oneRow(await db.read(count, [workspaceId])).count);
}
