import type pg from "pg";
import type { SqlText } from "./sql-text.ts";

/** A row as Postgres prints it: the texts of its columns, in the order of the statement. */
export type TextRow = readonly (string | null)[];

const inTexts = new Set<SqlText>();

/** Marks a statement whose rows are returned as `TextRow`s. */
export function returnTexts(text: SqlText): SqlText {
  inTexts.add(text);
  return text;
}

interface RowFormat {
  readonly rowMode?: "array";
  readonly types?: pg.CustomTypesConfig;
}

/** Returns how the rows of a statement are read; undefined for objects with parsed values. */
export function rowFormatOf(text: SqlText): RowFormat | undefined {
  return inTexts.has(text) ? TEXTS : undefined;
}

const unparsed = (text: string) => text;
const TEXTS: RowFormat = {
  rowMode: "array",
  types: { getTypeParser: (() => unparsed) as pg.CustomTypesConfig["getTypeParser"] },
};
