import type { OrganizationId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { clearOrganizationTombstone, type Tombstone } from "@cloud/service";
import { queueActivities } from "../activity/activity-sql.ts";
import { restoredWorkspaceActivity } from "../activity/describe-activity.ts";
import { restoreItemsOf } from "../library/item-sql.ts";
import { designs, views } from "../library/library-kind.ts";
import { restoreWorkspacesOf } from "../workspaces/workspace-sql.ts";

/**
 * Restores an organization that counted as deleted here although it is live, with the workspaces, designs and views
 * that were deleted with it; what was deleted before stays deleted. Links are not restored, as the log of each
 * workspace reports. Returns false if the tombstone was set again meanwhile.
 */
export async function restoreOrganization(tx: Tx, tombstone: Tombstone): Promise<boolean> {
  const deletedAt = await clearOrganizationTombstone(tx, tombstone);
  if (deletedAt === undefined) return false;
  const organizationId = tombstone.id as OrganizationId;
  const workspaces = await restoreWorkspacesOf(tx, organizationId, deletedAt);
  await restoreItemsOf(tx, designs, organizationId, deletedAt);
  await restoreItemsOf(tx, views, organizationId, deletedAt);
  queueActivities(tx, workspaces.map(restoredWorkspaceActivity));
  return true;
}
