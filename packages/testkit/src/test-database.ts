import { randomBytes } from "node:crypto";
import { createDatabase, dropDatabase, urlFor } from "@cloud/local-servers";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  plannedEachTime,
  type SqlText,
  type Statement,
  type StatementResult,
  sql,
  type Tx,
} from "@cloud/postgres";
import pg from "pg";
import { currentTestRun, noteOpened } from "./test-servers.ts";
import { testTelemetry, waitFor } from "./test-telemetry.ts";

export interface TestDatabase {
  /** Connects as the owner of the schema, without rights on anything else. */
  ownerUrl: string;
  /** Connects as the role of a program, which has the rights that the owner grants it. */
  url: string;
  /** Connects as superuser to the same database, to inspect or break what the role cannot. */
  superuserUrl: string;
  /** Deletes database and roles. @throws Error if a connection to it was left open */
  drop(): Promise<void>;
}

/**
 * Creates a database in the Postgres of this jest run, with one empty schema, its owner and a role for a program. A
 * connection that is still there `graceMs` milliseconds after `drop` began was left open: a pool says that it is closed
 * before its connections are, and one that was forgotten closes an idle connection after 30 s.
 */
export async function createTestDatabase(schema = "test", { graceMs = 10_000 } = {}): Promise<TestDatabase> {
  const { postgresUrl } = currentTestRun();
  const name = `test_${randomBytes(6).toString("hex")}`;
  const noteClosed = noteOpened("database", name);
  const [urls] = await createDatabase(postgresUrl, name, [{ role: name, schema }]);

  const drop = async () => {
    const forgotten = await openConnections(postgresUrl, name, graceMs);
    await dropDatabase(postgresUrl, name, [name]);
    noteClosed();
    if (forgotten !== "") throw new Error(`connections to the test database were left open by: ${forgotten}`);
  };
  return { ...urls, superuserUrl: urlFor(postgresUrl, name), drop };
}

/** Returns the names of the applications still connected after giving closed connections time to end in the server. */
async function openConnections(server: string, database: string, graceMs: number): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const select = sql`
    select coalesce(string_agg(coalesce(nullif(application_name, ''), 'unnamed'), ', '), '') as names
    from pg_stat_activity
    where datname = $1 and backend_type = 'client backend'`;
  const names = async () => (await client.query<{ names: string }>(select, [database])).rows[0]?.names ?? "";
  try {
    await waitFor(async () => ((await names()) === "" ? true : undefined), { deadlineMs: graceMs }).catch(
      () => undefined,
    );
    return await names();
  } finally {
    await client.end();
  }
}

type Place = Pick<DatabaseOptions, "url" | "schema">;

/**
 * Opens a pool for a test of anything but its limits: a machine that stands still for a while is no reason to refuse a
 * statement.
 */
export const openTestDatabase = (options: Place & Partial<DatabaseOptions>): Database =>
  openDatabase({
    applicationName: "test",
    log: testTelemetry().log,
    connectTimeoutMs: 30_000,
    statementTimeoutMs: 30_000,
    ...options,
  });

/** Returns the result of a statement, which is a transaction of its own unless it is sent to one. */
export function execute<Row = Record<string, unknown>>(
  db: Pick<Database, "transaction"> | Pick<Tx, "query">,
  given: Statement<Row> | SqlText,
  params: readonly unknown[] = [],
): Promise<StatementResult<Row>> {
  const statement = typeof given === "string" ? plannedEachTime<Row>(given) : given;
  return "query" in db ? db.query(statement, params) : db.transaction((tx) => tx.query(statement, params));
}

/** Returns a database whose transactions are part of `tx`. */
export const within = (tx: Tx): Pick<Database, "transaction" | "batch"> => ({
  transaction: async (work) => await work(tx),
  batch: async (statements) => {
    const results: StatementResult[] = [];
    for (const { statement, params } of statements) results.push(await tx.query(statement, params));
    return results;
  },
});

/** Runs what is no part of a transaction, such as VACUUM. */
export async function maintain({ url, schema }: Pick<Database, "url" | "schema">, text: SqlText): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  await client.query(text).finally(() => client.end());
}
