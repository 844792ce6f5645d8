import type { Id, OrganizationId } from "@cloud/contract";
import { type SqlText, sql, type Tx } from "@cloud/postgres";

/** A record that was restored with its organization. */
interface Restored<RecordId> {
  readonly id: RecordId;
  readonly organization_id: OrganizationId;
}

/** Deletes the rows of a table of records by setting `deleted_at`, and restores them. */
export interface RecordDeletion<RecordId extends Id> {
  /** Soft-deletes the record; a deleted one keeps its time. */
  readonly softDelete: (tx: Tx, id: RecordId) => Promise<void>;
  /** Locks the next live records of the organization FOR UPDATE, at most `most`, in an order. */
  readonly selectNextOf: (tx: Tx, organizationId: OrganizationId, most: number) => Promise<RecordId[]>;
  /** Soft-deletes records at the time at which their organization was deleted. */
  readonly softDeleteWith: (tx: Tx, organizationId: OrganizationId, ids: readonly RecordId[]) => Promise<void>;
  /** Soft-deletes the next live records of the deleted organization, at most `most`; returns their number. */
  readonly softDeleteNextOf: (tx: Tx, organizationId: OrganizationId, most: number) => Promise<number>;
  /** Restores the next records that were deleted with their organization, at its time; at most `most`. */
  readonly restoreNextOf: (tx: Tx, organizationId: OrganizationId, most: number) => Promise<Restored<RecordId>[]>;
}

export function recordDeletion<RecordId extends Id>(table: SqlText): RecordDeletion<RecordId> {
  const softDelete = sql`
    update ${table}
    set deleted_at = now()
    where id = $1 and deleted_at is null`;
  const selectNextOf = sql`
    select id
    from ${table}
    where organization_id = $1 and deleted_at is null
    order by created_at desc, id desc
    limit $2
    for update`;
  const tombstone = sql`
    (
      select deleted_at
      from organizations
      where id = $1
    )`;
  const softDeleteWith = sql`
    update ${table}
    set deleted_at = ${tombstone}
    where id = any($2)`;
  const restoreNextOf = sql`
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
  const selectNext = async (tx: Tx, organizationId: OrganizationId, most: number) =>
    (await tx.query<{ id: RecordId }>(selectNextOf, [organizationId, most])).rows.map(({ id }) => id);
  const deleteWith = async (tx: Tx, organizationId: OrganizationId, ids: readonly RecordId[]) => {
    if (ids.length > 0) await tx.query(softDeleteWith, [organizationId, ids]);
  };
  return {
    softDelete: async (tx, id) => void (await tx.query(softDelete, [id])),
    selectNextOf: selectNext,
    softDeleteWith: deleteWith,
    softDeleteNextOf: async (tx, organizationId, most) => {
      const ids = await selectNext(tx, organizationId, most);
      await deleteWith(tx, organizationId, ids);
      return ids.length;
    },
    restoreNextOf: async (tx, organizationId, most) =>
      (await tx.query<Restored<RecordId> & Record<string, unknown>>(restoreNextOf, [organizationId, most])).rows,
  };
}
