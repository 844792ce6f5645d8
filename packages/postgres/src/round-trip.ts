import pg from "pg";
import { type RowReader, rowReaderOf } from "./row-reader.ts";
import type { SqlText } from "./sql-text.ts";
import type { StatementResult } from "./statement-result.ts";
import type { TextRow } from "./text-rows.ts";

/** A statement of a round trip. Exactly one of `resolve` and `reject` is called, once. */
export interface Statement {
  /** Of the prepared statement; empty for one that is planned each time. */
  readonly name: string;
  readonly text: SqlText;
  readonly params: readonly unknown[];
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the statements in one write, with a single Sync at the end, and resolves when all are settled. After one that
 * fails, Postgres skips the rest up to the Sync: so none runs after a BEGIN that failed, and no COMMIT after a failed
 * statement. The skipped ones reject with the same error.
 *
 * Not `pg`'s own pipeline mode (8.23), which sends a Sync after every statement: after a BEGIN that failed the next one
 * would commit by itself.
 */
export function sendTogether(client: pg.ClientBase, statements: readonly Statement[]): Promise<void> {
  const sent = unprepared.has(client) ? statements.map((statement) => ({ ...statement, name: "" })) : statements;
  return new Promise((resolve) => {
    client.query(new RoundTrip(sent, resolve));
  });
}

const unprepared = new WeakSet<pg.ClientBase>();

/** Plans every statement of a client each time, because the pooler behind it may send each to another session. */
export function prepareNothing(client: pg.ClientBase): void {
  unprepared.add(client);
}

/** Handles the messages of `pg` for several statements, as its own Query does for one. */
class RoundTrip implements pg.Submittable {
  /** The client calls it with the error of the connection, and replaces it to limit the time of the round trip. */
  callback: (error?: unknown) => void;
  readonly statements: readonly Statement[];
  readonly #results: Result[];
  #readers: readonly RowReader[] = [];
  /** The number of statements that are complete. */
  #complete = 0;
  #failure: { readonly at: number; readonly error: unknown } | undefined;

  constructor(statements: readonly Statement[], settled: () => void) {
    this.statements = statements;
    this.#results = statements.map(() => ({ command: "", rowCount: 0, rows: [] }));
    this.callback = (error) => {
      if (error !== undefined && error !== null) this.#fail(this.#complete, error);
      this.#settle();
      settled();
    };
  }

  /** The client records under this name and text that the current statement is prepared. */
  get name(): string {
    return this.statements[this.#complete]?.name ?? "";
  }

  get text(): string {
    return this.statements[this.#complete]?.text ?? "";
  }

  submit(connection: pg.Connection): void {
    this.#readers = this.statements.map(({ name, text }) => rowReaderOf(connection, name, text));
    connection.stream.cork();
    try {
      const { parsedStatements } = connection as Connection;
      const parsed = new Set<string>();
      for (const [at, { name, text, params }] of this.statements.entries()) {
        if (name === "" || (parsedStatements[name] === undefined && !parsed.has(name))) {
          connection.parse({ name, text, types: [] }, true);
          parsed.add(name);
        }
        try {
          connection.bind({ statement: name, values: [...params] as string[], valueMapper: prepareValue }, true);
        } catch (error) {
          this.#fail(at, error); // a value that cannot be sent: neither are those after it
          break;
        }
        if (this.#readers[at]?.describe !== undefined) connection.describe({ type: "P" }, true);
        connection.execute(null, true);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#readers[this.#complete]?.describe?.(fields);
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    const reader = this.#readers[this.#complete];
    if (reader === undefined || this.#failure !== undefined) return;
    try {
      this.#results[this.#complete]?.rows.push(reader.read(fields) as pg.QueryResultRow);
    } catch (error) {
      this.#fail(this.#complete, error);
    }
  }

  /** `text` is such as COMMIT, SELECT 25 or INSERT 0 1. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const result = this.#results[this.#complete];
    if (result !== undefined) {
      const [command = "", ...numbers] = text.split(" ");
      result.command = command;
      result.rowCount = Number(numbers.at(-1) ?? 0);
    }
    this.#complete++;
  }

  handleEmptyQuery(): void {
    this.#complete++;
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  #fail(at: number, error: unknown): void {
    this.#failure ??= { at, error };
  }

  #settle(): void {
    for (const [at, { resolve, reject }] of this.statements.entries()) {
      const result = this.#results[at];
      if (this.#failure !== undefined && at >= this.#failure.at) reject(this.#failure.error);
      else if (result !== undefined) resolve(result);
    }
  }
}

type Result = { -readonly [Part in keyof StatementResult]: StatementResult[Part] };

/** What `pg` does not declare. */
interface Connection extends pg.Connection {
  /** The texts of the statements that are prepared, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;
