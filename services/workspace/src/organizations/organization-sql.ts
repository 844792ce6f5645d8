import type { OrganizationId } from "@cloud/contract";
import { type Reader, statement, type Tx } from "@cloud/postgres";

interface OrganizationRow {
  id: OrganizationId;
  deleted_at: Date | null;
}

const organization = statement<OrganizationRow>`
  select id, deleted_at
  from organizations
  where id = $1`;

/** Returns the reference to the organization, live or deleted; undefined when there is none. */
export async function selectOrganization(db: Reader, id: OrganizationId): Promise<OrganizationRow | undefined> {
  const result = await db.read(organization, [id]);
  return result.rows[0];
}

const unknownOrganizationIds = statement<{ id: OrganizationId }>`
  select id
  from unnest($1::uuid[]) as given (id)
  where not exists (select from organizations where organizations.id = given.id)`;

/** Returns those of `ids` that have no row here, live or deleted. */
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

/** Locks the row FOR UPDATE: until `tx` ends, no other transaction deletes or creates a workspace in it. */
export async function lockOrganizationForUpdate(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(lockForUpdate, [id]);
}
