import type { OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { appendActivities } from "../activity/activity-sql.ts";
import { restoredWorkspaceActivity } from "../activity/describe-activity.ts";
import { itemDeletions } from "../library/item-sql.ts";
import { workspaceDeletion } from "../workspaces/workspace-sql.ts";

/**
 * Restores the next workspaces, designs and views that were deleted with their organization, at most `most` of each; returns
 * whether there may be more. Links are not restored, as the log of each workspace reports.
 */
export async function restoreNextOfOrganization(tx: Tx, id: OrganizationId, most: number): Promise<boolean> {
  const workspaces = await workspaceDeletion.restoreNextOf(tx, id, most);
  await appendActivities(tx, workspaces.map(restoredWorkspaceActivity));
  if (workspaces.length === most) return true;
  for (const { restoreNextOf } of itemDeletions) {
    if ((await restoreNextOf(tx, id, most)).length === most) return true;
  }
  return false;
}
