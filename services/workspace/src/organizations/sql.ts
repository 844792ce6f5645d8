import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { type Reader, statement, type Tx } from "@cloud/postgres";

const unknownOrganizationIds = statement<{ id: OrganizationId }>`
  select id
  from unnest($1::uuid[]) as given (id)
  where not exists (select from organizations where organizations.id = given.id)`;

/** Returns the ids among `ids` that have no row here, live or deleted. */
export async function selectUnknownOrganizationIds(
  db: Reader,
  ids: readonly OrganizationId[],
): Promise<OrganizationId[]> {
  return (await db.read(unknownOrganizationIds, [ids])).rows.map((row) => row.id);
}

const lockForUpdate = statement`
  select 1
  from organizations
  where id = $1
  for update`;

/**
 * Locks the row FOR UPDATE: until `tx` ends, no other transaction creates or deletes a workspace of the organization.
 */
export async function lockOrganizationForUpdate(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(lockForUpdate, [id]);
}

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
