import { nameInSql } from "../sql-text.ts";
import { type Statement, statement } from "../statement.ts";

/** A table whose rows are deleted once they are old. */
export interface PurgedTable {
  readonly name: string;
  /**
   * Deletes the next rows, at most `$3`, that are older than `$2` days. They come after `$1`, in the order of an index: an
   * empty text for the first ones. Returns one row: `deleted`, their number, and `last`, which the next batch comes after.
   */
  readonly deleteNext: Statement<{ deleted: number; last: string }>;
  /** Returns one row: `count`, of the rows that are older than `$1` days. */
  readonly countOld: Statement<{ count: number }>;
}

/** Describes a table whose rows are as old as `column` says, which has an index. Rows without a time are kept. */
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
