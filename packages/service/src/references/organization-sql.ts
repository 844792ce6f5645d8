import type { OrganizationId } from "@cloud/access/values";
import { type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { lockingAll } from "../records/soft-deletes-sql.ts";
import type { Tombstone } from "./references-sql.ts";

// Two services keep a table of references to the organizations of identity: `organizations (id, deleted_at)`.

const insertIfMissing = statement`
  insert into organizations (id)
  values ($1)
  on conflict (id) do nothing`;

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

/** Returns up to `limit` ids of organizations without a tombstone, in order, after the id `after`. */
export async function selectLiveOrganizationIdsAfter(db: Reader, after: string, limit: number): Promise<string[]> {
  const result = await db.read(liveOrganizationIdsAfter, [after, limit]);
  return result.rows.map((row) => row.id);
}

// A rival waits for the row, and then sees it as the winner has left it: only one of them has a row to return. A subquery
// in `returning` would read the snapshot instead, in which there is no tombstone for either.
const organizationTombstoneUpsert = statement`
  insert into organizations (id, deleted_at)
  values ($1, now())
  on conflict (id) do update
  set deleted_at = excluded.deleted_at
  where organizations.deleted_at is null
  returning id`;

const organizationTombstoneRewriting = statement`
  update organizations
  set deleted_at = deleted_at
  where id = $1`;

/**
 * Sets the tombstone, inserting a missing row; returns whether there was no tombstone before, which is true for one of
 * concurrent calls. An existing tombstone keeps its time but is written again, so that the reconciler, which may be
 * about to clear it, detects the change.
 */
export async function upsertOrganizationTombstone(tx: Tx, id: OrganizationId): Promise<boolean> {
  const { rows } = await tx.query(organizationTombstoneUpsert, [id]);
  if (rows.length === 1) return true;
  await tx.query(organizationTombstoneRewriting, [id]);
  return false;
}

const hasTombstone = statement`
  select
  from organizations
  where id = $1 and deleted_at is not null`;

/** Returns whether the organization has a tombstone. */
export async function selectHasTombstone(db: Reader, id: OrganizationId): Promise<boolean> {
  return (await db.read(hasTombstone, [id])).rows.length === 1;
}

const lockTombstones = lockingAll(sql`
  select
  from organizations
  where id = $1 and deleted_at is not null
  for no key update`);

/**
 * Returns the lock of the row of a deleted organization, against the clearing of its tombstone and against others that
 * delete its records. The transaction fails with `isChanged` if the organization has no tombstone any more.
 */
export const organizationTombstoneLock = (id: OrganizationId) => lockTombstones(id, 1);

const unchangedTombstoneLock = statement`
  select
  from organizations
  where id = $1 and xmin = $2::text::xid and deleted_at is not null
  for update`;

/** Locks a tombstone until `tx` ends. Returns false if it was set again or cleared since it was read. */
export async function lockUnchangedTombstone(tx: Tx, { id, version }: Tombstone): Promise<boolean> {
  return (await tx.query(unchangedTombstoneLock, [id, version])).rows.length === 1;
}

const organizationTombstoneClearing = statement`
  update organizations
  set deleted_at = null
  where id = $1`;

/** Clears the tombstone, which the caller has locked. */
export async function clearOrganizationTombstone(tx: Tx, id: OrganizationId): Promise<void> {
  await tx.query(organizationTombstoneClearing, [id]);
}
