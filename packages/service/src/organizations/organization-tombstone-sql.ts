import type { OrganizationId } from "@cloud/contract";
import { oneRow, type Sql, sql, type Tx } from "@cloud/postgres";
import type { Tombstone } from "../reconciler/reference-kind.ts";
import { lockAll } from "../records/lock-all.ts";

/**
 * Sets the tombstone, inserting a missing row; returns whether there was no tombstone before. An existing tombstone keeps
 * its time but is written again, so that the reconciler, which may be about to clear it, detects the change.
 */
export async function upsertOrganizationTombstone(db: Sql, id: OrganizationId): Promise<boolean> {
  // The subquery reads the row as it was when the statement began.
  const text = sql`
    insert into organizations (id, deleted_at)
    values ($1, now())
    on conflict (id) do update
    set deleted_at = coalesce(organizations.deleted_at, excluded.deleted_at)
    returning (
      select before.deleted_at
      from organizations before
      where before.id = $1
    ) is null as is_new`;
  return oneRow(await db.query<{ is_new: boolean }>(text, [id])).is_new;
}

/** Returns whether the organization has a tombstone. */
export async function selectHasTombstone(db: Sql, id: OrganizationId): Promise<boolean> {
  const text = sql`
    select
    from organizations
    where id = $1 and deleted_at is not null`;
  return (await db.query(text, [id])).rows.length === 1;
}

/**
 * Queues the lock of the row of a deleted organization until `tx` ends, against the clearing of its tombstone and against
 * others that delete its records. The transaction fails as of `isChanged` if it has no tombstone any more.
 */
export function lockOrganizationTombstone(tx: Tx, id: OrganizationId): void {
  const text = sql`
    select
    from organizations
    where id = $1 and deleted_at is not null
    for no key update`;
  lockAll(tx, text, id, 1);
}

/** Locks a tombstone until `tx` ends. Returns false if it was set again or cleared since it was read. */
export async function lockUnchangedTombstone(tx: Tx, { id, version }: Tombstone): Promise<boolean> {
  const text = sql`
    select
    from organizations
    where id = $1 and xmin = $2::text::xid and deleted_at is not null
    for update`;
  return (await tx.query(text, [id, version])).rows.length === 1;
}

/** Clears the tombstone, which the caller has locked. */
export async function clearOrganizationTombstone(tx: Tx, id: OrganizationId): Promise<void> {
  const text = sql`
    update organizations
    set deleted_at = null
    where id = $1`;
  await tx.query(text, [id]);
}
