import type { Sql, Tx } from "@cloud/postgres";
import type { OrganizationId } from "@cloud/rpc";

interface OrganizationRow {
  id: OrganizationId;
  deleted_at: Date | null;
}

export async function selectOrganization(sql: Sql, id: OrganizationId): Promise<OrganizationRow | undefined> {
  const result = await sql.query<OrganizationRow>("select id, deleted_at from organizations where id = $1", [id]);
  return result.rows[0];
}

/** Makes sure that the reference row is there; an existing row, tombstone or not, stays as it is. */
export async function insertOrganizationIfMissing(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query("insert into organizations (id) values ($1) on conflict (id) do nothing", [id]);
}

/** The organization unless it has its tombstone; the share lock keeps the tombstone away until the end of `tx`. */
export async function selectLiveOrganizationForShare(tx: Tx, id: OrganizationId): Promise<OrganizationRow | undefined> {
  const text = "select id, deleted_at from organizations where id = $1 and deleted_at is null for share";
  return (await tx.query<OrganizationRow>(text, [id])).rows[0];
}

/** Until the end of `tx` no other transaction deletes, or creates, a workspace of the organization. */
export async function lockOrganizationForUpdate(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query("select 1 from organizations where id = $1 for update", [id]);
}

/**
 * Sets the tombstone, inserting the row where there is none; answers whether there was none before. The row stays locked
 * until the end of `tx`, also one that the condition leaves as it is.
 */
export async function upsertOrganizationTombstone(tx: Tx, id: OrganizationId): Promise<boolean> {
  const result = await tx.query(
    "insert into organizations (id, deleted_at) values ($1, now()) on conflict (id) do update " +
      "set deleted_at = excluded.deleted_at where organizations.deleted_at is null",
    [id],
  );
  return result.rowCount === 1;
}

/** The ids of the organizations without a tombstone, in order, after one. */
export async function selectLiveOrganizationIdsAfter(sql: Sql, after: string, limit: number): Promise<string[]> {
  const result = await sql.query<{ id: string }>(
    "select id from organizations where deleted_at is null and ($1 = '' or id > nullif($1, '')::uuid) " +
      "order by id limit $2",
    [after, limit],
  );
  return result.rows.map((row) => row.id);
}
