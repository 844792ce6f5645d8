import type pg from "pg";
import { typeParsers } from "./parse-time.ts";
import type { PostgresClient } from "./postgres-client.ts";
import type { Statement, TextRow } from "./statement.ts";

/** How the rows of a statement are read. */
export interface RowReader {
  /** Of a description that Postgres has to send; undefined once it is known. */
  readonly describe: ((columns: readonly pg.FieldDef[]) => void) | undefined;
  readonly read: (texts: TextRow) => unknown;
}

const TEXTS: RowReader = { describe: undefined, read: (texts) => texts };

/**
 * Returns the reader of a statement's rows. Its columns are described once for a prepared statement, and never where
 * rows are texts: the description of 14 columns, and what `pg` makes of it, cost a service 20 µs of the 320 of a list.
 * They cannot change: Postgres refuses to execute the statement after that. Behind a pooler, which may prepare it again
 * in another session with others, they are described each time.
 */
export function rowReaderOf({ rowReaders, isPooled }: PostgresClient, { name, rows }: Statement): RowReader {
  if (rows === "texts") return TEXTS;
  if (name === "" || isPooled) return createRowReader(() => undefined);
  return rowReaders.get(name) ?? createRowReader((reader) => rowReaders.set(name, reader));
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
