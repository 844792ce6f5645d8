import type { SqlText } from "../sql-text.ts";

/** A table whose rows are deleted once they are old. */
export interface PurgedTable {
  readonly name: string;
  /**
   * Deletes the next rows, at most `$3`, that are older than `$2` days. They come after `$1`, in the order of an index: an
   * empty text for the first ones. Returns one row: `deleted`, their number, and `last`, which the next batch comes after.
   */
  readonly deleteNext: SqlText;
  /** Returns one row: `count`, of the rows that are older than `$1` days. */
  readonly countOld: SqlText;
}
