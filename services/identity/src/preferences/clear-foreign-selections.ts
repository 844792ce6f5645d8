import type { Tx } from "@cloud/postgres";
import type { OrganizationId, UserId } from "@cloud/rpc";
import { selectIsMember } from "../organizations/memberships-sql.ts";
import { selectSelectionForUpdate, updateSelection } from "./preferences-sql.ts";

/** Clears what a user selected in an organization that they left, or are not a member of any more. */
export async function clearForeignSelections(tx: Tx, user: UserId, left?: OrganizationId): Promise<void> {
  const stored = await selectSelectionForUpdate(tx, user);
  const isTheirs = async (organization: OrganizationId) =>
    organization !== left && (await selectIsMember(tx, organization, user));
  const { organization, workspace } = stored;
  const kept = {
    organization: organization !== null && (await isTheirs(organization)) ? organization : null,
    workspace: workspace !== null && (await isTheirs(workspace.organizationId)) ? workspace : null,
  };
  if (kept.organization !== organization || kept.workspace !== workspace) {
    await updateSelection(tx, user, kept);
  }
}
