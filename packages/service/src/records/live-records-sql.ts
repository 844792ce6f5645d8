import type { Id } from "@cloud/contract";
import { type Reader, type SqlText, sql, statement, type Tx } from "@cloud/postgres";

/** Reads the live rows of a table of records, which keeps deleted ones with their `deleted_at`. */
export interface LiveRecords<Row extends { readonly id: Id }> {
  /** Returns the live record without a lock; undefined if it is not live. */
  readonly select: (db: Reader, id: Row["id"]) => Promise<Row | undefined>;
  /** Locks the row FOR SHARE: the record stays live until `tx` ends. Returns undefined if it is not live. */
  readonly selectForShare: (tx: Tx, id: Row["id"]) => Promise<Row | undefined>;
  /** Locks the row FOR UPDATE until `tx` ends. Returns undefined if the record is not live. */
  readonly selectForUpdate: (tx: Tx, id: Row["id"]) => Promise<Row | undefined>;
}

/** @param isLive the condition of a live record, if it is not only that its row is not deleted */
export function liveRecords<Row extends { readonly id: Id }>(
  table: SqlText,
  columns: SqlText,
  isLive = sql`deleted_at is null`,
): LiveRecords<Row> {
  const live = sql`
    select ${columns}
    from ${table}
    where id = $1 and ${isLive}`;
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
    selectForShare: selectWith(liveForShare),
    selectForUpdate: selectWith(liveForUpdate),
  };
}
