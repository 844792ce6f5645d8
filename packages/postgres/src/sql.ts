import type { QueryResult, QueryResultRow } from "pg";

/** Anything that answers SQL: a database (each statement by itself) or a transaction. */
export interface Sql {
  /** Throws DatabaseUnavailable on a fault of the server or a time-out, else the error of Postgres with its SQLSTATE. */
  query<Row extends QueryResultRow = QueryResultRow>(
    text: string,
    params?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
}

/** Not exported by the package: only `withTransaction` can make a Tx. */
export const brand: unique symbol = Symbol("transaction");

/** A running transaction. It refuses statements once it is over. */
export interface Tx extends Sql {
  readonly [brand]: "tx";
}

/** What this package writes to a log; pino's Logger is one. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
