import type { Id, OrganizationId } from "@cloud/access/values";
import { type Reader, type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { createBatchLoader } from "@cloud/rpc";

/** The columns that records of organizations have in common. */
export interface RecordRow<RecordId extends Id> {
  id: RecordId;
  organization_id: OrganizationId;
  name: string;
  description: string;
  created_at: Date;
  updated_at: Date;
  deleted_at: Date | null;
  etag: string;
}

/**
 * Composes the reads of live rows from a table of records, which keeps deleted ones with their `deleted_at`.
 *
 * @param isLive the condition of a live record, if `deleted_at` alone does not decide
 */
export function liveRecords<Row extends { readonly id: Id }>(
  table: SqlText,
  columns: SqlText,
  isLive = sql`deleted_at is null`,
) {
  const live = sql`
    select ${columns}
    from ${table}
    where id = $1 and ${isLive}`;
  // The subquery hides the number of ids from the planner: otherwise a plan for one id is cheaper than the one for any
  // number, and Postgres plans each time.
  const liveAmong = statement<Row>`
    select ${columns}
    from ${table}
    where id = any(array(select unnest($1::uuid[]))) and ${isLive}`;
  const liveForShare = sql`
    ${live}
    for share`;
  const liveForUpdate = sql`
    ${live}
    for update`;
  const selectWith = <Db extends Reader>(text: SqlText) => {
    const select = statement<Row>`${text}`;
    return async (db: Db, id: Row["id"]) => (await db.read(select, [id])).rows[0];
  };
  const selectMany = async (db: Reader, ids: readonly string[]) => (await db.read(liveAmong, [ids])).rows;
  return {
    /** Returns the live record without a lock; undefined if it is not live. */
    select: selectWith<Reader>(live),
    /** Returns the live records among the ids, in any order. */
    selectMany,
    /** Returns `select` by statements that concurrent reads share. */
    selectShared: (db: Reader) => shareReads<Row>((ids) => selectMany(db, ids)), // protects: shared-reads
    /** Locks the row FOR SHARE: the record stays live until `tx` ends. Returns undefined if it is not live. */
    selectForShare: selectWith<Tx>(liveForShare),
    /** Locks the row FOR UPDATE until `tx` ends. Returns undefined if the record is not live. */
    selectForUpdate: selectWith<Tx>(liveForUpdate),
  };
}

/** The most ids of a look-up, and the milliseconds for which it delays the next; as for tokens (packages/rpc). */
const LIMITS = { maxBatchSize: 256, maxWaitMs: 100 };

/**
 * Returns a look-up of records by id, here or at their owner, that concurrent calls share. It begins after all calls that
 * it serves, so that no record is older than its call (docs/adr/0019). Undefined for an id without a record.
 */
export function shareReads<Row extends { readonly id: string }>(
  selectMany: (ids: readonly string[]) => Promise<readonly Row[]>,
): (id: Row["id"]) => Promise<Row | undefined> {
  const readMany = createBatchLoader<{ readonly row: Row | undefined }>(async (ids) => {
    const rows = new Map<string, Row>((await selectMany(ids)).map((row) => [row.id, row]));
    // Postgres prints ids in lower case.
    return new Map(ids.map((id) => [id, { row: rows.get(id.toLowerCase()) }]));
  }, LIMITS);
  return async (id) => (await readMany(id)).row;
}
