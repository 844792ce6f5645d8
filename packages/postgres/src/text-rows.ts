import type { SqlText } from "./sql-text.ts";

/** A row as Postgres prints it: the texts of its columns, in the order of the statement. */
export type TextRow = readonly (string | null)[];

const inTexts = new Set<SqlText>();

/** Marks a statement whose rows are returned as `TextRow`s. */
export function returnTexts(text: SqlText): SqlText {
  inTexts.add(text);
  return text;
}

export function returnsTexts(text: SqlText): boolean {
  return inTexts.has(text);
}
