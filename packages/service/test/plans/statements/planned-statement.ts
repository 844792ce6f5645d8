import type { Tx } from "@cloud/postgres";

/**
 * A statement that requests or events wait for, and the indexes that find its rows. One reads a whole table on
 * purpose: a purge that finds its 1,000 rows by an index and joins them to an outbox of few pages. The lists that may
 * be large are executed in large-lists.int.test.ts.
 */
export type PlannedStatement = readonly [name: string, run: (tx: Tx) => Promise<unknown>, ...indexes: string[]];
