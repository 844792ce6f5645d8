import type { Statement, StatementResult } from "./statement.ts";

/** The door for reads, of a database or a transaction. */
export interface Reader {
  /**
   * Returns what the statement reads. One of a database cannot write: Postgres refuses it. Throws DatabaseUnavailable on a
   * fault of the server or a time-out, else the Postgres error with its SQLSTATE.
   */
  read<Row>(statement: Statement<Row>, params?: readonly unknown[]): Promise<StatementResult<Row>>;
  /** Runs a read that may take long, such as a search, when it is its turn, or refuses it; at once if absent. */
  readonly runHeavy?: RunHeavy | undefined;
}

export type RunHeavy = <T>(read: () => Promise<T>) => Promise<T>;

/** Not exported by the package: only `transaction` can create a Tx. */
export const brand: unique symbol = Symbol("transaction");

/** A running transaction. It refuses statements once it is over. */
export interface Tx extends Reader {
  readonly [brand]: "tx";
  /** Returns the result of a statement that may write; throws like `read`. */
  query<Row>(statement: Statement<Row>, params?: readonly unknown[]): Promise<StatementResult<Row>>;
}

/** The logger that this package uses; satisfied by pino's Logger. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
