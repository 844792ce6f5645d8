import type { QueryResultRow } from "pg";
import type { SqlText } from "./sql-text.ts";
import type { StatementResult } from "./statement-result.ts";

/** Executes statements: a database (each statement by itself) or a transaction. */
export interface Sql {
  /** Throws DatabaseUnavailable on a fault of the server or a time-out, else the Postgres error with its SQLSTATE. */
  query<Row extends QueryResultRow = QueryResultRow>(
    text: SqlText,
    params?: readonly unknown[],
  ): Promise<StatementResult<Row>>;
  /** Runs a read that may take long, such as a search, when it is its turn, or refuses it; at once if absent. */
  readonly runHeavy?: RunHeavy | undefined;
}

export type RunHeavy = <T>(read: () => Promise<T>) => Promise<T>;

/** Not exported by the package: only `withTransaction` can create a Tx. */
export const brand: unique symbol = Symbol("transaction");

/**
 * A running transaction. It refuses statements once it is over. Those that are sent before the first of them is awaited
 * share a round trip, and run in their order; after one that fails, the others reject with its error.
 */
export interface Tx extends Sql {
  readonly [brand]: "tx";
  /**
   * Sends the statement together with the next one or with COMMIT, in one round trip. If it fails, so does
   * `withTransaction`, with its error.
   */
  queue(text: SqlText, params?: readonly unknown[]): void;
}

/** The logger that this package uses; satisfied by pino's Logger. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
