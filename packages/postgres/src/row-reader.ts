import type pg from "pg";
import { typeParsers } from "./parse-time.ts";
import type { SqlText } from "./sql-text.ts";
import { returnsTexts, type TextRow } from "./text-rows.ts";

/** How the rows of a statement are read. */
export interface RowReader {
  /** Of a description that Postgres has to send; undefined once it is known. */
  readonly describe: ((columns: readonly pg.FieldDef[]) => void) | undefined;
  readonly read: (texts: TextRow) => pg.QueryResultRow | TextRow;
}

const TEXTS: RowReader = { describe: undefined, read: (texts) => texts };

/**
 * Those of the prepared statements of each connection, by name. The columns of one cannot change there: Postgres refuses
 * to execute it after that. A pooler may prepare it again, in another session, with others.
 */
const readers = new WeakMap<pg.Connection, Map<string, RowReader>>();
const described = new WeakSet<pg.Connection>();

/** Has each statement's columns described each time, because there is a pooler behind the client. */
export function describeEachTime({ connection }: pg.Client): void {
  described.add(connection);
}

/**
 * Returns the reader of a statement's rows. Its columns are described once for a prepared statement, and never where
 * rows are texts: the description of 14 columns, and what `pg` makes of it, cost a service 20 µs of the 320 of a list.
 */
export function rowReaderOf(connection: pg.Connection, name: string, text: SqlText): RowReader {
  if (returnsTexts(text)) return TEXTS;
  if (name === "" || described.has(connection)) return createRowReader(() => undefined);
  const known = readers.get(connection) ?? new Map<string, RowReader>();
  readers.set(connection, known);
  return known.get(name) ?? createRowReader((reader) => known.set(name, reader));
}

function createRowReader(onDescribed: (reader: RowReader) => void): RowReader {
  let columns: readonly Column[] = [];
  const read: RowReader["read"] = (texts) => {
    const row: pg.QueryResultRow = {};
    let index = 0;
    for (const { name, parse } of columns) {
      const text = texts[index++] as string | null;
      row[name] = text === null ? null : parse(text);
    }
    return row;
  };
  const describe = (fields: readonly pg.FieldDef[]) => {
    columns = fields.map(({ name, dataTypeID }) => ({ name, parse: typeParsers.getTypeParser(dataTypeID, "text") }));
    onDescribed({ describe: undefined, read });
  };
  return { describe, read };
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}
