import type { OrganizationId } from "@cloud/contract";
import { type Reader, statement, type Tx } from "@cloud/postgres";

const insertIfMissing = statement`
  insert into organizations (id)
  values ($1)
  on conflict (id) do nothing`;

// Two services keep a table of references to the organizations of identity: `organizations (id, deleted_at)`.

/** Inserts a reference that may be missing; an existing row, with or without a tombstone, stays as it is. */
export async function insertOrganizationIfMissing(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(insertIfMissing, [id]);
}

const liveOrganizationForShare = statement`
  select 1
  from organizations
  where id = $1 and deleted_at is null
  for share`;

/** Locks the live organization FOR SHARE, which keeps it live until `tx` ends. Returns false when it is not live. */
export async function selectLiveOrganizationForShare(tx: Tx, id: OrganizationId): Promise<boolean> {
  return (await tx.query(liveOrganizationForShare, [id])).rows.length === 1;
}

const liveOrganizationIdsAfter = statement<{ id: string }>`
  select id
  from organizations
  where deleted_at is null and ($1 = '' or id > nullif($1, '')::uuid)
  order by id
  limit $2`;

/** Returns up to `limit` ids of organizations without a tombstone, in order, those after `after`. */
export async function selectLiveOrganizationIdsAfter(db: Reader, after: string, limit: number): Promise<string[]> {
  const result = await db.read(liveOrganizationIdsAfter, [after, limit]);
  return result.rows.map((row) => row.id);
}
