import type { Id, OrganizationId } from "@cloud/contract";
import { type SqlText, sql, type Tx } from "@cloud/postgres";

/** A record that was deleted or restored with its organization. */
interface Changed<RecordId> {
  readonly id: RecordId;
  readonly organization_id: OrganizationId;
}

/** Deletes the rows of a table of records by setting `deleted_at`, and restores them. */
export interface RecordDeletion<RecordId extends Id> {
  /** Soft-deletes the record; a deleted one keeps its time. */
  readonly softDelete: (tx: Tx, id: RecordId) => Promise<void>;
  /** Soft-deletes all live records of the organization and returns them. */
  readonly softDeleteOf: (tx: Tx, organizationId: OrganizationId) => Promise<Changed<RecordId>[]>;
  /**
   * Restores the records that were deleted with their organization and returns them: they were deleted in one
   * transaction, so with the same `deletedAt`.
   */
  readonly restoreOf: (tx: Tx, organizationId: OrganizationId, deletedAt: Date) => Promise<Changed<RecordId>[]>;
}

export function recordDeletion<RecordId extends Id>(table: SqlText): RecordDeletion<RecordId> {
  const softDelete = sql`
    update ${table}
    set deleted_at = now()
    where id = $1 and deleted_at is null`;
  const softDeleteOf = sql`
    update ${table}
    set deleted_at = now()
    where organization_id = $1 and deleted_at is null
    returning id, organization_id`;
  const restoreOf = sql`
    update ${table}
    set deleted_at = null
    where organization_id = $1 and deleted_at = $2
    returning id, organization_id`;
  const change = async (tx: Tx, text: SqlText, params: readonly unknown[]) =>
    (await tx.query<Changed<RecordId> & Record<string, unknown>>(text, params)).rows;
  return {
    softDelete: async (tx, id) => void (await tx.query(softDelete, [id])),
    softDeleteOf: (tx, organizationId) => change(tx, softDeleteOf, [organizationId]),
    restoreOf: (tx, organizationId, deletedAt) => change(tx, restoreOf, [organizationId, deletedAt]),
  };
}
