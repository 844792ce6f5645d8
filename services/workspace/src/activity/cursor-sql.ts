import type { WorkspaceId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement } from "@cloud/postgres";
import { liveCount, logReads } from "@cloud/service/records";
import { type ActivityRow, activityColumns } from "./sql.ts";

const log = { table: sql`activity_events`, columns: activityColumns };

/** Reads the logs of all workspaces of an organization. */
export const organizationLog = logReads<ActivityRow>({ ...log, where: sql`organization_id = $1` });

/** Reads the log of a workspace. */
export const workspaceLog = logReads<ActivityRow>({ ...log, where: sql`workspace_id = $1` });

const count = statement<{ count: string }>`
  select ${liveCount(sql`list = 'activity_events'`, sql`= $1`)} as count`;

/** Returns the number of lines in the log of a workspace. */
export async function countActivities(db: Reader, workspaceId: WorkspaceId): Promise<number> {
  return Number(oneRow(await db.read(count, [workspaceId])).count);
}
