import { type BoundStatement, type SqlText, statement } from "@cloud/postgres";

/**
 * Returns a statement that locks rows until its transaction ends; $1 is their parameter. The transaction fails as of
 * `isChanged` if it does not lock so many. Postgres decides that, so that a transaction that was prepared by reads takes
 * one round trip: a program that is killed or stalls between two keeps its locks until Postgres detects it.
 */
export const lockingAll = (rows: SqlText) => {
  const lock = statement`
    select assert_locked(count(*), $2)
    from (${rows}) locked`;
  return (parameter: unknown, count: number): BoundStatement => ({ statement: lock, params: [parameter, count] });
};

/** Returns whether a transaction failed because others have changed what it was to lock. */
export const isChanged = (error: unknown): boolean => (error as { readonly code?: unknown } | null)?.code === "LK001";
