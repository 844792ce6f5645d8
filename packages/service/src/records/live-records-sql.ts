import type { Id } from "@cloud/access/values";
import { type Reader, type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { createBatchLoader } from "@cloud/rpc";

/** Reads the live rows of a table of records, which keeps deleted ones with their `deleted_at`. */
interface LiveRecords<Row extends { readonly id: Id }> {
  /** Returns the live record without a lock; undefined if it is not live. */
  readonly select: (db: Reader, id: Row["id"]) => Promise<Row | undefined>;
  /** Returns `select` by statements that concurrent reads share. */
  readonly selectShared: (db: Reader) => (id: Row["id"]) => Promise<Row | undefined>;
  /** Locks the row FOR SHARE: the record stays live until `tx` ends. Returns undefined if it is not live. */
  readonly selectForShare: (tx: Tx, id: Row["id"]) => Promise<Row | undefined>;
  /** Locks the row FOR UPDATE until `tx` ends. Returns undefined if the record is not live. */
  readonly selectForUpdate: (tx: Tx, id: Row["id"]) => Promise<Row | undefined>;
}

/**
 * Composes the reads of a table. @param isLive the condition of a live record, if `deleted_at` alone does not decide
 */
export function liveRecords<Row extends { readonly id: Id }>(
  table: SqlText,
  columns: SqlText,
  isLive = sql`deleted_at is null`,
): LiveRecords<Row> {
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
  const selectWith = (text: SqlText) => {
    const select = statement<Row>`${text}`;
    return async (db: Reader, id: Row["id"]) => (await db.read(select, [id])).rows[0];
  };
  return {
    select: selectWith(live),
    selectShared: (db) => shareReads(async (ids) => (await db.read(liveAmong, [ids])).rows), // protects: shared-reads
    selectForShare: selectWith(liveForShare),
    selectForUpdate: selectWith(liveForUpdate),
  };
}

/** The most ids in a statement, and the milliseconds for which it delays the next; as for tokens (packages/rpc). */
const LIMITS = { maxBatchSize: 256, maxWaitMs: 100 };

/**
 * Returns a read of rows by id. A statement begins after all reads that it serves, so that no row is older than its
 * read (docs/adr/0019).
 */
function shareReads<Row extends { readonly id: Id }>(selectMany: (ids: readonly string[]) => Promise<readonly Row[]>) {
  const readMany = createBatchLoader<{ readonly row: Row | undefined }>(async (ids) => {
    const rows = new Map<string, Row>((await selectMany(ids)).map((row) => [row.id, row]));
    // Postgres prints ids in lower case.
    return new Map(ids.map((id) => [id, { row: rows.get(id.toLowerCase()) }]));
  }, LIMITS);
  return async (id: Row["id"]) => (await readMany(id)).row;
}
