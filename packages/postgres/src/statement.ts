import { hash } from "node:crypto";

declare const made: unique symbol;

/**
 * The text of a statement, or of a part of one: only constants of the source. Only such text can be sent, so input
 * reaches Postgres as parameters only.
 */
export type SqlText = string & { readonly [made]: "sql" };

/**
 * Marks a template as SQL. Its holes accept SQL only: a column list, the name of a table, a condition. Values are
 * parameters ($1…). The text is used verbatim, backslashes included, so that it can be pasted into psql.
 */
export function sql(text: TemplateStringsArray, ...parts: readonly SqlText[]): SqlText {
  // `String.raw` returns the same and takes over twice as long, and a list makes its text at each request.
  let whole = text.raw[0] ?? "";
  for (const [index, part] of parts.entries()) whole += part + (text.raw[index + 1] ?? "");
  // biome-ignore lint/plugin: this is the place where SQL is made.
  return whole as SqlText;
}

/** Returns `$n`, for statements whose parameters are numbered at run time. */
export function parameter(n: number): SqlText {
  // biome-ignore lint/plugin: a number is no text.
  return `$${n}` as SqlText;
}

/** Returns the name of a schema or a channel as SQL. Throws TypeError on a name that would need quotes. */
export function nameInSql(name: string): SqlText {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) {
    throw new TypeError(`a schema's name has only a-z, 0-9 and _: ${JSON.stringify(name)}`);
  }
  // biome-ignore lint/plugin: the test above leaves nothing that could end a name.
  return name as SqlText;
}

/** A statement, made once by the module that sends it, with how it is planned and how its rows are read. */
export interface Statement<Row = unknown> {
  readonly text: SqlText;
  /** The name under which each connection prepares it; empty if it is planned each time. */
  readonly name: string;
  /** Whether a row is an object of parsed values, or a `TextRow`. */
  readonly rows: "objects" | "texts";
  /** Never set: it carries the type of a row. */
  readonly row?: Row;
}

/** A statement, with the values of its parameters. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly params: readonly unknown[];
}

/** A row as Postgres prints it: the texts of its columns, in the order of the statement. */
export type TextRow = readonly (string | null)[];

/** The result of a statement. */
export interface StatementResult<Row = unknown> {
  /** The command, such as SELECT or COMMIT. */
  readonly command: string;
  /** The number of rows returned or changed; 0 for a command that reports none. */
  readonly rowCount: number;
  readonly rows: Row[];
}

/** Marks a template as a statement that is planned once. */
export function statement<Row = unknown>(text: TemplateStringsArray, ...parts: readonly SqlText[]): Statement<Row> {
  return plannedOnce(sql(text, ...parts));
}

/**
 * Makes a statement that each connection prepares once. Planning is most of what a statement by key costs: of the 0.9
 * ms that Postgres took to identify a caller, 0.7; of the 0.6 ms for the first page of a list, 0.4.
 */
export function plannedOnce<Row = unknown>(text: SqlText): Statement<Row> {
  return { text, name: hash("sha1", text), rows: "objects" };
}

/**
 * Makes a statement that is planned each time it is sent, because its best plan depends on its parameters: a page of a
 * small organization and of a large one, a search for a common word and for a rare one.
 */
export function plannedEachTime<Row = unknown>(text: SqlText): Statement<Row> {
  return { text, name: "", rows: "objects" };
}

/** Returns the statement with rows that become bytes of a reply at once: 25 rows took 0.04 ms to become objects. */
export const inTexts = (statement: Statement): Statement<TextRow> => ({
  text: statement.text,
  name: statement.name,
  rows: "texts",
});

/** The reads of a database or a transaction. */
export interface Reader {
  /**
   * Returns what the statement reads. A statement outside of a transaction cannot write: Postgres refuses it. Throws
   * DatabaseUnavailable on a fault of the server or a time-out, else the Postgres error with its SQLSTATE.
   */
  read<Row>(statement: Statement<Row>, params?: readonly unknown[]): Promise<StatementResult<Row>>;
  /** Runs a read that may take long, such as a search, when it is its turn, or refuses it; at once if absent. */
  readonly runHeavy?: RunHeavy | undefined;
}

export type RunHeavy = <T>(read: () => Promise<T>) => Promise<T>;

/** The mark of a transaction. The package does not export it: only `transaction` can create a Tx. */
export const brand: unique symbol = Symbol("transaction");

/** A running transaction. It refuses statements once it is over. */
export interface Tx extends Reader {
  readonly [brand]: "tx";
  /** Returns the result of a statement that may write; throws like `read`. */
  query<Row>(statement: Statement<Row>, params?: readonly unknown[]): Promise<StatementResult<Row>>;
  /**
   * Sends statements in the round trip of COMMIT, in the order of the calls: what the transaction leaves behind and does
   * not read, such as lines of logs and events. The transaction fails with their errors.
   */
  atCommit(...statements: readonly BoundStatement[]): void;
}

/** The logger that this package uses; satisfied by pino's Logger. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Returns the row of a statement that always returns one. @throws TypeError when there is none. */
export function oneRow<Row>(result: { readonly rows: readonly Row[] }): Row {
  const [row] = result.rows;
  if (row === undefined) {
    throw new TypeError("a statement that always answers a row answered none");
  }
  return row;
}
