import type { Tx } from "@cloud/postgres";
import { newId, type OrganizationId, type WorkspaceId } from "@cloud/rpc";
import { insertActivity } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { insertInitialWorkspace } from "../workspaces/workspace-sql.ts";
import { insertOrganizationIfMissing, selectLiveOrganizationForShare } from "./organization-sql.ts";

/**
 * Gives an organization its `My Workspace`, exactly once, however many requests and events race here: the unique index
 * on initial workspaces lets one of them win, and the others change nothing.
 */
export async function welcomeOrganization(tx: Tx, organizationId: OrganizationId, owner: string): Promise<void> {
  await insertOrganizationIfMissing(tx, organizationId);
  if ((await selectLiveOrganizationForShare(tx, organizationId)) === undefined) {
    return;
  }
  const workspace = await insertInitialWorkspace(tx, newId<WorkspaceId>(), organizationId, owner);
  if (workspace !== undefined) {
    await insertActivity(tx, workspaceActivity("create", workspace, owner));
  }
}
