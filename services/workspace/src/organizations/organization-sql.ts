import type { OrganizationId } from "@cloud/contract";
import { type Sql, sql, type Tx } from "@cloud/postgres";

interface OrganizationRow {
  id: OrganizationId;
  deleted_at: Date | null;
}

/** Returns the reference to the organization, live or deleted; undefined when there is none. */
export async function selectOrganization(db: Sql, id: OrganizationId): Promise<OrganizationRow | undefined> {
  const result = await db.query<OrganizationRow>(
    sql`
      select id, deleted_at
      from organizations
      where id = $1`,
    [id],
  );
  return result.rows[0];
}

/** Returns those of `ids` that have no row here, live or deleted. */
export async function selectUnknownOrganizationIds(db: Sql, ids: readonly OrganizationId[]): Promise<OrganizationId[]> {
  const text = sql`
    select id
    from unnest($1::uuid[]) as given (id)
    where not exists (select from organizations where organizations.id = given.id)`;
  return (await db.query<{ id: OrganizationId }>(text, [ids])).rows.map((row) => row.id);
}

/** Locks the row FOR UPDATE: until `tx` ends, no other transaction deletes or creates a workspace in it. */
export async function lockOrganizationForUpdate(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(
    sql`
      select 1
      from organizations
      where id = $1
      for update`,
    [id],
  );
}
