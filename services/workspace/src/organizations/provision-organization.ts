import { newId, type OrganizationId, type WorkspaceId } from "@cloud/contract";
import type { Tx } from "@cloud/postgres";
import { insertOrganizationIfMissing, selectLiveOrganizationForShare } from "@cloud/service";
import { appendActivity } from "../activity/activity-sql.ts";
import { workspaceActivity } from "../activity/describe-activity.ts";
import { insertInitialWorkspace } from "./initial-workspace-sql.ts";

/**
 * Creates the `My Workspace` of a live organization, exactly once, however many requests and events race: one of them
 * wins the unique index on initial workspaces, and the others change nothing.
 */
export async function provisionOrganization(tx: Tx, organizationId: OrganizationId, owner: string): Promise<void> {
  await insertOrganizationIfMissing(tx, organizationId);
  if (!(await selectLiveOrganizationForShare(tx, organizationId))) return;
  const id = newId<WorkspaceId>();
  if (!(await insertInitialWorkspace(tx, id, organizationId, owner))) return;
  await appendActivity(tx, workspaceActivity("create", { id, organization_id: organizationId }, owner));
}
