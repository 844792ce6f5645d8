import { hash } from "node:crypto";
import { type SqlText, sql } from "./sql-text.ts";

/** A statement, made once by the module that sends it, with how it is planned and how its rows are read. */
export interface Statement<Row = unknown> {
  readonly text: SqlText;
  /** Under which each connection prepares it; empty if it is planned each time. */
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

/** What a statement returned. */
export interface StatementResult<Row = unknown> {
  /** Such as SELECT, COMMIT. */
  readonly command: string;
  /** Of rows returned or changed; 0 for a command that reports none. */
  readonly rowCount: number;
  readonly rows: Row[];
}

/**
 * Marks a template as a statement, which is prepared once per connection. Planning is most of what a statement by key
 * costs: of the 0.9 ms that Postgres took to identify a caller, 0.7; of the 5.1 ms for a deletion and its effects, 1.4.
 */
export function statement<Row = unknown>(text: TemplateStringsArray, ...parts: readonly SqlText[]): Statement<Row> {
  const whole = sql(text, ...parts);
  return { text: whole, name: hash("sha1", whole), rows: "objects" };
}

/**
 * Makes a statement that is planned each time it is sent, because its best plan depends on its parameters: a page of a
 * small organization and of a large one, a search for a common word and for a rare one.
 */
export function plannedEachTime<Row = unknown>(text: SqlText): Statement<Row> {
  return { text, name: "", rows: "objects" };
}

/** Makes one whose rows become bytes of a reply at once: 25 rows took 0.04 ms to become objects. */
export function plannedEachTimeInTexts(text: SqlText): Statement<TextRow> {
  return { text, name: "", rows: "texts" };
}
