import type { Id, OrganizationId } from "@cloud/access/values";
import { type BoundStatement, type Reader, type SqlText, sql, statement, type Tx } from "@cloud/postgres";

/** A record that was restored with its organization. */
interface Restored<RecordId> {
  readonly id: RecordId;
  readonly organization_id: OrganizationId;
}

/** Deletes the rows of a table of records by setting `deleted_at`, and restores them. */
export function softDeletes<RecordId extends Id>(table: SqlText) {
  const softDelete = statement`
    update ${table}
    set deleted_at = ${writeTime}
    where id = $1 and deleted_at is null`;
  const selectNextOf = statement<{ id: RecordId }>`
    select id
    from ${table}
    where organization_id = $1 and deleted_at is null
    order by created_at desc, id desc
    limit $2`;
  const lock = lockingAll(sql`
    select
    from ${table}
    where id = any($1) and deleted_at is null
    order by id
    for update`);
  const tombstone = sql`
    (
      select deleted_at
      from organizations
      where id = $1
    )`;
  const softDeleteWith = statement`
    update ${table}
    set deleted_at = ${tombstone}
    where id = any($2)`;
  const restoreNextOf = statement<Restored<RecordId>>`
    update ${table}
    set deleted_at = null
    where id = any(array(
      select id
      from ${table}
      where organization_id = $1 and deleted_at = ${tombstone}
      order by id
      limit $2
    ))
    returning id, organization_id`;
  return {
    /** Soft-deletes the record; a deleted one keeps its time. */
    softDelete: async (tx: Tx, id: RecordId) => void (await tx.query(softDelete, [id])),
    /** Returns the next live records of the organization, at most `max`. */
    selectNextOf: async (db: Reader, organizationId: OrganizationId, max: number) =>
      (await db.read(selectNextOf, [organizationId, max])).rows.map(({ id }) => id),
    /** Locks live records FOR UPDATE, in the order of ids. The transaction fails with `isChanged` if one is not live. */
    lock: (ids: readonly RecordId[]) => (ids.length > 0 ? [lock(ids, ids.length)] : []),
    /** Deletes locked records, at the time at which their organization was deleted. */
    softDeleteWith: (organizationId: OrganizationId, ids: readonly RecordId[]): BoundStatement[] =>
      ids.length > 0 ? [{ statement: softDeleteWith, params: [organizationId, ids] }] : [],
    /** Restores the next records that were deleted with their organization, at its time; at most `max`. */
    restoreNextOf: async (tx: Tx, organizationId: OrganizationId, max: number) =>
      (await tx.query(restoreNextOf, [organizationId, max])).rows,
  };
}

/**
 * Returns a statement that locks rows until its transaction ends; $1 is their parameter. The transaction fails with
 * `isChanged` if it does not lock `count` rows. Postgres decides that, so that a transaction that was prepared by reads
 * takes one round trip. A program that is killed or stalls between two round trips keeps its locks until Postgres
 * detects it.
 */
export const lockingAll = (rows: SqlText) => {
  const lock = statement`
    select assert_locked(count(*), $2)
    from (${rows}) locked`;
  return (parameter: unknown, count: number): BoundStatement => ({ statement: lock, params: [parameter, count] });
};

/** Returns whether a transaction failed because others have changed the rows that it was to lock. */
export const isChanged = (error: unknown): boolean => (error as { readonly code?: unknown } | null)?.code === "LK001";

/**
 * The time of an update. `now()` is the time of BEGIN: a writer that waits for another one may have begun first, and
 * would put the time back. Postgres evaluates this again with the row that the other writer has written. A clock that
 * was set back does not put the time back either.
 */
export const writeTime: SqlText = sql`greatest(updated_at, clock_timestamp())`;

/** Returns the assignment of one time to the column, such as `deleted_at`, and to `updated_at`. */
export const endedNow = (column: SqlText): SqlText => sql`
  (${column}, updated_at) = (
    select at, at
    from (select ${writeTime} as at) written
  )`;
