import type { Id } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import type { Tombstone } from "@cloud/service";
import { appendActivities, selectWorkspacesUnlinkedAt } from "../activity/activity-sql.ts";
import { lostLinkActivity } from "../activity/describe-activity.ts";
import { clearReferenceTombstone, type ReferenceKind } from "./reference-sql.ts";

/**
 * Makes a team or an environment assignable again that counted as deleted here although it is live. Its links are not
 * restored: users decide whether they still need them, and the log of each workspace reports the lost link. Returns
 * false if the tombstone was set again meanwhile.
 */
export async function restoreReference(tx: Tx, kind: ReferenceKind, tombstone: Tombstone): Promise<boolean> {
  const deletedAt = await clearReferenceTombstone(tx, kind, tombstone);
  if (deletedAt === undefined) return false;
  const workspaces = await selectWorkspacesUnlinkedAt(tx, tombstone.id as Id, deletedAt);
  await appendActivities(
    tx,
    workspaces.map((workspace) => lostLinkActivity(workspace, kind, tombstone.id)),
  );
  return true;
}
