import type { OrganizationId, WorkspaceId } from "@cloud/contract";
import { statement, type Tx } from "@cloud/postgres";

const NAME = "My Workspace";

const initialWorkspaceInsertion = statement`
  insert into workspaces (id, organization_id, name, description, owner, initial)
  values ($1, $2, $3, '', $4, true)
  on conflict (organization_id) where initial do nothing
  returning id`;

/** Inserts `My Workspace`; returns false if the organization has one already, live or deleted. */
export async function insertInitialWorkspace(
  tx: Tx,
  id: WorkspaceId,
  organizationId: OrganizationId,
  owner: string,
): Promise<boolean> {
  return (await tx.query(initialWorkspaceInsertion, [id, organizationId, NAME, owner])).rows.length === 1;
}
