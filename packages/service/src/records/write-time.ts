import { type SqlText, sql } from "@cloud/postgres";

/**
 * The time of an update. `now()` is that of BEGIN: of two writers, the one that waits for the other one may have begun first,
 * and would put the time back. Postgres evaluates this again with the row that the other one has written; a clock that was
 * set back changes nothing either.
 */
export const writeTime: SqlText = sql`greatest(updated_at, clock_timestamp())`;

/** Sets the column, such as `deleted_at`, and the time of the update to the same time. */
export const endedNow = (column: SqlText): SqlText => sql`
  (${column}, updated_at) = (
    select at, at
    from (select ${writeTime} as at) written
  )`;
