import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "../open-database.ts";
import { nameInSql, oneRow, type Statement, statement } from "../statement.ts";

/** A table whose rows are deleted once they are old. */
export interface PurgedTable {
  readonly name: string;
  /**
   * Deletes the next rows, at most `$3`, that are older than `$2` days. They come after `$1`, in the order of an index:
   * an empty text for the first ones. Returns one row: `deleted`, their number, and `last`, which the next batch comes
   * after.
   */
  readonly deleteNext: Statement<{ deleted: number; last: string }>;
  /** Returns one row: `count`, of the rows that are older than `$1` days. */
  readonly countOld: Statement<{ count: number }>;
}

/** Describes a table whose rows are dated by `column`, which has an index. Rows without a time are kept. */
export function purgedByTime(name: string, column: string): PurgedTable {
  const [table, time] = [nameInSql(name), nameInSql(column)];
  return {
    name,
    deleteNext: statement`
      with expired as (
        select ctid, ${time}
        from ${table}
        where ${time} < now() - make_interval(days => $2::integer)
          and ${time} >= coalesce(nullif($1, '')::timestamptz, '-infinity')
        order by ${time}
        limit $3
        for update skip locked
      ),
      deleted as (
        delete from ${table}
        where ctid = any(array(select ctid from expired))
      )
      select count(*)::integer as deleted, max(${time})::text as last
      from expired`,
    countOld: statement`
      select count(*)::float8 as count
      from ${table}
      where ${time} < now() - make_interval(days => $1::integer)`,
  };
}

/**
 * Describes a log, from which the role of a program may not delete: the function `purge_NAME` of the schema does it,
 * with the rights of its owner. Rows are dated by `created_at`.
 */
export function purgedLog(name: string): PurgedTable {
  return {
    name,
    deleteNext: statement`
      select deleted, last
      from ${nameInSql(`purge_${name}`)}($1, $2, $3)`,
    countOld: statement`
      select count(*)::float8 as count
      from ${nameInSql(name)}
      where created_at < now() - make_interval(days => $1::integer)`,
  };
}

interface PurgeOptions {
  /** The age in days from which rows are deleted. */
  readonly days: number;
  /** Ends the purge after the batch that runs. */
  readonly signal: AbortSignal;
  /** Called after each batch, with the number of rows that are deleted so far. */
  readonly onBatch?: (deleted: number) => void;
  /** Waits between two batches; by a timer if absent. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Rows of a batch. They are locked for its 10 ms, and a row that is being deleted delays no reader. */
const BATCH = 500; // protects: purge-batches
/** The pause after a batch, as a multiple of its time: a purge takes a fifth of one core of Postgres at most. */
const PAUSE = 4;

/**
 * Deletes the old rows of a table in batches, each a transaction, and returns their number. What is left when it ends
 * early is deleted by the next one: nothing is kept of its progress. Another process may purge meanwhile.
 */
export async function purgeTable(
  db: Pick<Database, "transaction">,
  table: PurgedTable,
  options: PurgeOptions,
): Promise<number> {
  const { days, signal, onBatch, pause = waitFor } = options;
  let [after, total] = ["", 0];
  while (!signal.aborted) {
    const began = performance.now();
    const batch = await db.transaction(async (tx) => {
      await tx.query(readInOrder);
      return await tx.query(table.deleteNext, [after, days, BATCH]);
    });
    const ms = performance.now() - began;
    const { deleted, last } = oneRow(batch);
    total += deleted;
    onBatch?.(total);
    if (deleted < BATCH) break;
    // After the last row that was deleted: what is left of those before it in the index is not read again.
    after = last;
    await pause(ms * PAUSE, signal);
  }
  return total;
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined);
}

/**
 * Batches are read in the order of an index. While the planner's statistics lack the old rows, it expects few of them,
 * and would read and sort all for each batch: of 1,000,000, 22 a second were deleted.
 */
const readInOrder = statement`set local enable_sort = off`;
