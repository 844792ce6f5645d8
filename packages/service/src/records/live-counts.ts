import { type SqlText, sql } from "@cloud/postgres";

/**
 * Returns the number of rows of a list in some scopes, as its triggers count them (migrations/0003_live_counts.sql).
 * `isList` is a condition on `list`; `among` is one on the scope, without it: `= $1`.
 */
export const liveCount = (isList: SqlText, among: SqlText) => sql`
  (
    select coalesce(sum(count), 0)
    from live_counts
    where ${isList} and scope ${among}
  )`;

/** Returns the number of rows of a list that are not among those of a short one: all, less those that are. */
export const countOthers = (all: SqlText, from: SqlText, areAmong: SqlText) => sql`
  ${all} - (
    select count(*)
    from ${from}
    where ${areAmong}
  )`;

/** Returns the expression of the search index of a table, as its migration has it. */
export function searchKeys(scope: SqlText, columns: readonly SqlText[]): SqlText {
  const [first, ...others] = columns;
  if (first === undefined) throw new TypeError("a search needs columns");
  const text = others.reduce((all, column) => sql`${all} || e'\n' || ${column}`, first);
  return sql`search_keys(${scope}, ${text})`;
}
