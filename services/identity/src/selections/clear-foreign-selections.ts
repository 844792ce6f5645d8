import type { OrganizationId, UserId } from "@cloud/access/values";
import type { Tx } from "@cloud/postgres";
import { selectIsMember } from "../memberships/sql.ts";
import { selectSelectionForUpdate, updateSelection } from "./preferences-sql.ts";

/**
 * Clears a user's selections in the organization that they left, if given, and in every organization that they are no
 * longer a member of. Locks their preferences FOR UPDATE until `tx` ends.
 */
export async function clearForeignSelections(
  tx: Tx,
  userId: UserId,
  leftOrganizationId?: OrganizationId,
): Promise<void> {
  const { organizationId, workspace } = await selectSelectionForUpdate(tx, userId);
  const isTheirs = async (id: OrganizationId) => id !== leftOrganizationId && (await selectIsMember(tx, id, userId));
  const kept = {
    organizationId: organizationId !== null && (await isTheirs(organizationId)) ? organizationId : null,
    workspace: workspace !== null && (await isTheirs(workspace.organizationId)) ? workspace : null,
  };
  if (kept.organizationId !== organizationId || kept.workspace !== workspace) {
    await updateSelection(tx, userId, kept);
  }
}
