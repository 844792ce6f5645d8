import { setTimeout as wait } from "node:timers/promises";
import { createBatchSize } from "../batch-size.ts";
import { oneRow } from "../one-row.ts";
import type { Tx } from "../sql.ts";
import type { PurgedTable } from "./purged-table.ts";

export interface PurgeOptions {
  /** The age in days from which rows are deleted. */
  readonly days: number;
  /** Ends the purge after the batch that runs. */
  readonly signal: AbortSignal;
  /** Waits between two batches; by a timer if absent. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Rows of a batch. They are locked until it ends, and a row that is being deleted delays no reader. */
const BATCH = { least: 50, first: 250, most: 1_000 };
/** The pause after a batch, as a multiple of its time: a purge takes a fifth of one core of Postgres at most. */
const PAUSE = 4;

/**
 * Deletes the old rows of a table in batches, each a transaction, and returns their number. What is left when it ends
 * early is deleted by the next one: nothing is kept of its progress.
 */
export async function purgeTable(
  session: Pick<Tx, "query">,
  table: PurgedTable,
  options: PurgeOptions,
): Promise<number> {
  const { days, signal, pause = waitFor } = options;
  const size = createBatchSize(BATCH);
  let [after, total] = ["", 0];
  while (!signal.aborted) {
    const { rows } = size;
    const began = performance.now();
    const batch = await session.query(table.deleteNext, [after, days, rows]);
    const ms = performance.now() - began;
    const { deleted, last } = oneRow(batch);
    total += deleted;
    if (deleted < rows) break;
    // After the last row that was deleted: what is left of those before it in the index is not read again.
    after = last;
    size.took(ms);
    await pause(ms * PAUSE, signal);
  }
  return total;
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
