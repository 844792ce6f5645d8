import { createTestDatabase, execute, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { type Pgbouncer, type PgbouncerSettings, startPgbouncer } from "@cloud/testkit/faults";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import type { Pooler } from "../src/connection-settings.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { prepareForPooler } from "../src/migrations/prepare-for-pooler.ts";
import { requireMigrated } from "../src/migrations/read-migrations.ts";
import { type Database, openDatabase } from "../src/open-database.ts";
import { statement } from "../src/statement.ts";

const schema = "test";
const { log } = testTelemetry();
let database: TestDatabase;
const resources: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase(schema);
});

afterEach(async () => {
  for (const release of resources.splice(0).toReversed()) await release();
  await database.drop();
});

/** Starts a PgBouncer, by default as Debian configures it: in session mode. Returns the URL through it. */
async function throughPgbouncer(settings: PgbouncerSettings = {}): Promise<string> {
  const pgbouncer: Pgbouncer = await startPgbouncer([database.ownerUrl], settings);
  resources.push(() => pgbouncer.stop());
  return pgbouncer.through(database.ownerUrl);
}

async function openThrough(url: string): Promise<Database> {
  const pooler: Pooler = { directUrl: database.ownerUrl, keepsStatements: false };
  await prepareForPooler({ url, pooler, schema, log });
  const db = openDatabase({ url, pooler, schema, applicationName: "pooled", log, maxConnections: 4 });
  resources.push(() => db.close());
  return db;
}

const settings = statement`
  select
    current_setting('search_path') as path,
    current_setting('statement_timeout') as statement,
    current_setting('default_transaction_isolation') as isolation,
    current_setting('work_mem') as memory`;

describe.each([["session"], ["transaction"]])("PgBouncer in %s mode", (pool_mode) => {
  test("beside a direct URL, serves as Postgres does, and gives no other client a state of ours", async () => {
    const url = await throughPgbouncer({ pool_mode, default_pool_size: "5" });
    const db = await openThrough(url);
    await execute(db, statement`create table notes (id integer primary key, at timestamptz not null default now())`);
    const add = statement<{ at: Date }>`
      insert into notes (id)
      values ($1)
      returning at`;
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, id) => db.transaction(async (tx) => (await tx.query(add, [id])).rows[0]?.at)),
    );
    expect(added.filter((at) => at instanceof Date && !Number.isNaN(at.getTime()))).toHaveLength(20);
    expect((await db.read(settings)).rows).toEqual([
      { path: schema, statement: "3s", isolation: "read committed", memory: "8MB" },
    ]);
    // Another client of the pooler, as another program, gets the sessions that this one used.
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const { rows } = await other.query("select name from pg_prepared_statements");
    await other.end();
    expect(rows).toEqual([]);
  });

  test("without a direct URL, is refused at once, in a line that says what is needed", async () => {
    const url = await throughPgbouncer({ pool_mode });
    const needed =
      "the URL names a pooler, which passes on no settings of a session: set DATABASE_DIRECT_URL, and " +
      "MIGRATION_DATABASE_URL if it is used, to Postgres itself";
    const lines: unknown[] = [];
    const noting = { info: (_fields: object, line: string) => void lines.push(line), warn: () => undefined };
    await expect(migrate({ url, schema, sources: [], log: noting })).rejects.toThrow(needed);
    await expect(requireMigrated({ url, schema, sources: [], log: noting })).rejects.toThrow(needed);
    expect(lines).toEqual([]);
  });

  test("that ignores the settings which it does not pass on, is refused in the same way", async () => {
    const ignored = "options,statement_timeout,idle_in_transaction_session_timeout";
    const url = await throughPgbouncer({ pool_mode, ignore_startup_parameters: ignored });
    await expect(migrate({ url, schema, sources: [], log })).rejects.toThrow("the URL names a pooler");
  });
});

test("control: where the role has no defaults, a session of PgBouncer has none of the settings", async () => {
  const url = await throughPgbouncer();
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  const { rows } = await other.query(settings);
  await other.end();
  expect(rows).toMatchObject([{ statement: "0", memory: "4MB" }]);
});
