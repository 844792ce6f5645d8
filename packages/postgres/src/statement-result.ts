import type { QueryResultRow } from "pg";

/** What a statement returned. */
export interface StatementResult<Row extends QueryResultRow = QueryResultRow> {
  /** Such as SELECT, COMMIT. */
  readonly command: string;
  /** Of rows returned or changed; 0 for a command that reports none. */
  readonly rowCount: number;
  readonly rows: Row[];
}
