import pg from "pg";
import type { PostgresClient } from "./postgres-client.ts";
import { type RowReader, rowReaderOf } from "./rows.ts";
import type { BoundStatement, StatementResult, TextRow } from "./statement.ts";

/**
 * Sends the statements in one write, with a single Sync at the end, and returns their results. After one that fails,
 * Postgres skips the rest up to the Sync, and the call rejects with its error: so none runs after a BEGIN that failed.
 *
 * Not `pg`'s own pipeline mode (8.23), which sends a Sync after every statement: after a BEGIN that failed the next one
 * would commit by itself.
 */
export function sendTogether(
  client: PostgresClient,
  sent: readonly BoundStatement[],
): Promise<readonly StatementResult[]> {
  return new Promise((resolve, reject) => {
    client.query(new RoundTrip(client, sent, resolve, reject));
  });
}

/** Handles the messages of `pg` for several statements, as its own Query does for one. */
class RoundTrip implements pg.Submittable {
  readonly statements: readonly BoundStatement[];
  /** The client calls it with the error of the connection, and replaces it to limit the time of the round trip. */
  callback: (error?: unknown) => void;
  readonly #client: PostgresClient;
  readonly #results: Result[];
  #readers: readonly RowReader[] = [];
  /** The number of statements that are complete. */
  #complete = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    client: PostgresClient,
    statements: readonly BoundStatement[],
    resolve: (results: readonly StatementResult[]) => void,
    reject: (error: unknown) => void,
  ) {
    this.#client = client;
    this.statements = statements;
    this.#results = statements.map(() => ({ command: "", rowCount: 0, rows: [] }));
    this.callback = (error) => {
      if (error !== undefined && error !== null) this.#fail(error);
      if (this.#failure === undefined) resolve(this.#results);
      else reject(this.#failure.error);
    };
  }

  /** The client records under this name and text that the current statement is prepared. */
  get name(): string {
    const { statement } = this.statements[this.#complete] ?? {};
    return statement === undefined ? "" : this.#client.nameOf(statement);
  }

  get text(): string {
    return this.statements[this.#complete]?.statement.text ?? "";
  }

  submit(connection: pg.Connection): void {
    const client = this.#client;
    this.#readers = this.statements.map(({ statement }) => rowReaderOf(client, statement));
    connection.stream.cork();
    try {
      const { parsedStatements } = connection as Connection;
      const parsed = new Set<string>();
      for (const [at, { statement, params }] of this.statements.entries()) {
        const name = client.nameOf(statement);
        if (name === "" || (parsedStatements[name] === undefined && !parsed.has(name))) {
          connection.parse({ name, text: statement.text, types: [] }, true);
          parsed.add(name);
        }
        try {
          connection.bind({ statement: name, values: [...params] as string[], valueMapper: prepareValue }, true);
        } catch (error) {
          this.#fail(error); // a value that cannot be sent: neither are those after it
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
      this.#results[this.#complete]?.rows.push(reader.read(fields));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Records the result of a statement. `text` is, for example, COMMIT, SELECT 25 or INSERT 0 1. */
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

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }
}

type Result = { -readonly [Part in keyof StatementResult]: StatementResult[Part] };

/** A connection with a part that `pg` does not declare. */
interface Connection extends pg.Connection {
  /** The texts of the statements that are prepared, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
}

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;
