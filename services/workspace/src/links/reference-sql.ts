import type { Id } from "@cloud/access/values";
import { type Reader, statement, type Tx } from "@cloud/postgres";
import type { Tombstone } from "@cloud/service/references";

/** The kinds of resource that other services own. */
export type PeerResource = "team" | "environment";

const insertIfMissing = statement`
  insert into resource_references (kind, id)
  values ($1, $2)
  on conflict do nothing`;

const lockForShare = statement<{ deleted_at: Date | null }>`
  select deleted_at
  from resource_references
  where kind = $1 and id = $2
  for share`;

/**
 * Locks the reference FOR SHARE, so that no tombstone is set before `tx` ends; returns false if it has one. Inserts a
 * missing row, so that there is one to lock before any event of a deletion arrives.
 */
export async function lockLiveReferenceForShare(tx: Tx, kind: PeerResource, id: Id): Promise<boolean> {
  const lock = async () => (await tx.query(lockForShare, [kind, id])).rows[0];
  let reference = await lock();
  if (reference === undefined) {
    await tx.query(insertIfMissing, [kind, id]);
    reference = await lock();
  }
  return reference?.deleted_at === null;
}

// In order of the ids, so that two consumers with some ids in common do not deadlock.
const upsertTombstones = statement`
  insert into resource_references (kind, id, deleted_at)
  select distinct $1, id, now()
  from unnest($2::uuid[]) as id
  order by id
  on conflict (kind, id) do update
  set deleted_at = coalesce(resource_references.deleted_at, excluded.deleted_at)`;

/** Sets tombstones, inserting missing rows; an existing one keeps its time. The rows stay locked until `tx` ends. */
export async function upsertReferenceTombstones(tx: Tx, kind: PeerResource, ids: readonly Id[]): Promise<void> {
  await tx.query(upsertTombstones, [kind, ids]);
}

// xmin identifies the transaction that wrote the row last: a tombstone that is set again has another.
const referenceTombstonesAfter = statement<Tombstone>`
  select id, xmin::text as version
  from resource_references
  where kind = $1 and deleted_at is not null and ($2 = '' or id > nullif($2, '')::uuid)
  order by id
  limit $3`;

/** Returns up to `limit` references of a kind that have a tombstone, in order, after the id `after`. */
export async function selectReferenceTombstonesAfter(
  db: Reader,
  kind: PeerResource,
  after: string,
  limit: number,
): Promise<Tombstone[]> {
  return (await db.read(referenceTombstonesAfter, [kind, after, limit])).rows;
}

const lockTombstone = statement<{ deleted_at: Date }>`
  select deleted_at
  from resource_references
  where kind = $1 and id = $2 and xmin = $3::text::xid and deleted_at is not null
  for update`;

const clearTombstone = statement`
  update resource_references
  set deleted_at = null
  where kind = $1 and id = $2`;

/**
 * Clears a tombstone unless it was set again since it was read; the row stays locked until `tx` ends. Returns the time
 * at which it had been set, or undefined if it was not cleared.
 */
export async function clearReferenceTombstone(
  tx: Tx,
  kind: PeerResource,
  { id, version }: Tombstone,
): Promise<Date | undefined> {
  const { rows } = await tx.query(lockTombstone, [kind, id, version]);
  const [row] = rows;
  if (row === undefined) return undefined;
  await tx.query(clearTombstone, [kind, id]);
  return row.deleted_at;
}
