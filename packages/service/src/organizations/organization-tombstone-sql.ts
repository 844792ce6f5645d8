import type { OrganizationId } from "@cloud/contract";
import { sql, type Tx } from "@cloud/postgres";
import type { Tombstone } from "../reconciler/reference-kind.ts";
import { insertOrganizationIfMissing } from "./organization-sql.ts";

/**
 * Sets the tombstone, inserting a missing row; returns whether there was no tombstone before. The row stays locked
 * until `tx` ends. An existing tombstone keeps its time but is written again, so that the reconciler, which may be
 * about to clear it, detects the change.
 */
export async function upsertOrganizationTombstone(tx: Tx, id: OrganizationId): Promise<boolean> {
  insertOrganizationIfMissing(tx, id);
  const setTombstone = sql`
    update organizations
    set deleted_at = now()
    where id = $1 and deleted_at is null`;
  if ((await tx.query(setTombstone, [id])).rowCount === 1) return true;
  const writeAgain = sql`
    update organizations
    set deleted_at = deleted_at
    where id = $1`;
  await tx.query(writeAgain, [id]);
  return false;
}

/**
 * Locks the row of a deleted organization until `tx` ends, against the clearing of its tombstone and against others that
 * delete its records. Returns true. @throws Error if it has no tombstone any more: the owner is asked again
 */
export async function lockOrganizationTombstone(tx: Tx, id: OrganizationId): Promise<boolean> {
  const text = sql`
    select
    from organizations
    where id = $1 and deleted_at is not null
    for no key update`;
  if ((await tx.query(text, [id])).rows.length === 1) return true;
  throw new Error("the tombstone of the organization was cleared while its records were deleted");
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
