import type { OrganizationId } from "@cloud/contract";
import { type Sql, sql, type Tx } from "@cloud/postgres";

// Two services keep a table of references to the organizations of identity: `organizations (id, deleted_at)`.

/** Queues the insert of a reference that may be missing; an existing row, with or without a tombstone, stays as it is. */
export function insertOrganizationIfMissing(tx: Tx, id: OrganizationId): void {
  tx.queue(
    sql`
      insert into organizations (id)
      values ($1)
      on conflict (id) do nothing`,
    [id],
  );
}

/** Locks the live organization FOR SHARE, which keeps it live until `tx` ends. Returns false when it is not live. */
export async function selectLiveOrganizationForShare(tx: Tx, id: OrganizationId): Promise<boolean> {
  const text = sql`
    select 1
    from organizations
    where id = $1 and deleted_at is null
    for share`;
  return (await tx.query(text, [id])).rows.length === 1;
}

/** Returns up to `limit` ids of organizations without a tombstone, in order, those after `after`. */
export async function selectLiveOrganizationIdsAfter(db: Sql, after: string, limit: number): Promise<string[]> {
  const result = await db.query<{ id: string }>(
    sql`
      select id
      from organizations
      where deleted_at is null and ($1 = '' or id > nullif($1, '')::uuid)
      order by id
      limit $2`,
    [after, limit],
  );
  return result.rows.map((row) => row.id);
}
