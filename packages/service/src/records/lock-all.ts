import { type SqlText, sql, type Tx } from "@cloud/postgres";

/**
 * Queues a statement that locks rows until `tx` ends; $1 is its parameter. The transaction fails as of `isChanged` if it
 * does not lock so many. Postgres decides that, so that a transaction that was prepared by reads takes one round trip: a
 * program that is killed or stalls between two round trips keeps its locks until Postgres detects it.
 */
export function lockAll(tx: Tx, rows: SqlText, parameter: unknown, count: number): void {
  const text = sql`
    select assert_locked(count(*), $2)
    from (${rows}) locked`;
  tx.queue(text, [parameter, count]);
}

/** Returns whether a transaction failed because others have changed what it was to lock. */
export const isChanged = (error: unknown): boolean => (error as { readonly code?: unknown } | null)?.code === "LK001";
