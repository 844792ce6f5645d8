import { createTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import pg from "pg";
import type { Pooler } from "../src/connection-settings.ts";
import { prepareForPooler } from "../src/migrations/prepare-for-pooler.ts";
import { type Database, openDatabase } from "../src/open-database.ts";
import { nameInSql, statement } from "../src/statement.ts";

// A pooler passes no settings of a session on: without one in between, the server itself gets none. What PgBouncer does
// besides is shown by test/chaos/cluster/pooled.cluster.test.ts.

const schema = "pooled";
const { log } = testTelemetry();
let database: TestDatabase;
let pooler: Pooler;
const resources: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  database = await createTestDatabase(schema);
  pooler = { directUrl: database.ownerUrl, keepsStatements: false };
});

afterEach(async () => {
  for (const one of resources.splice(0)) await one.close();
  await database.drop();
});

function open(keepsStatements: boolean): Database {
  const options = { url: database.ownerUrl, pooler: { ...pooler, keepsStatements }, schema, log, maxConnections: 1 };
  const db = openDatabase({ ...options, applicationName: "pooled", connectTimeoutMs: 30_000 });
  resources.push(db);
  return db;
}

const prepare = () => prepareForPooler({ url: database.ownerUrl, pooler, schema, log });

const settings = statement`
  select
    current_setting('search_path') as search_path,
    current_setting('statement_timeout') as statement_timeout,
    current_setting('idle_in_transaction_session_timeout') as idle,
    current_setting('work_mem') as work_mem,
    current_setting('max_parallel_workers_per_gather') as workers`;

const expected = { search_path: schema, statement_timeout: "3s", idle: "5s", work_mem: "8MB", workers: "0" };

test("sessions that are sent no settings have the program's, as defaults of its role", async () => {
  await prepare();
  expect((await open(false).read(settings)).rows).toEqual([expected]);
});

test("many programs that start at once set the defaults, and later starts change nothing", async () => {
  await Promise.all(Array.from({ length: 8 }, prepare));
  await prepare();
  expect((await open(false).read(settings)).rows).toEqual([expected]);
});

test("statements are prepared only where the pooler keeps them, alone and in transactions", async () => {
  await prepare();
  const sent = statement`select $1::integer as given`;
  const counts = [];
  for (const keepsStatements of [false, true]) {
    const db = open(keepsStatements);
    await db.read(sent, [1]);
    const result = await db.transaction(async (tx) => (await tx.query(sent, [2])).rows);
    expect(result).toEqual([{ given: 2 }]);
    const { rows } = await db.read(statement`select name from pg_prepared_statements`);
    counts.push(rows.length > 0);
  }
  expect(counts).toEqual([false, true]);
});

test("a statement that a pooler prepares again in another session has the columns of that session", async () => {
  await prepare();
  const db = open(true);
  const sent = statement`select 1 as given`;
  expect((await db.read(sent)).rows).toEqual([{ given: 1 }]);
  const { rows } = await db.read(statement<{ name: string }>`
    select name
    from pg_prepared_statements
    where statement like '%as given'`);
  const name = nameInSql(rows[0]?.name ?? "");
  await db.read(statement`deallocate ${name}`);
  await db.read(statement`prepare ${name} as select 'a' as other`);
  expect((await db.read(sent)).rows).toEqual([{ other: "a" }]);
});

test("what needs a session without a limit gets it in spite of the role's default", async () => {
  await prepare();
  const db = openDatabase({ url: database.ownerUrl, schema, applicationName: "long", log, statementTimeoutMs: 0 });
  resources.push(db);
  expect((await db.read(statement`show statement_timeout`)).rows).toEqual([{ statement_timeout: "0" }]);
});

test("a pooler whose sessions are of another role is refused", async () => {
  const url = database.superuserUrl;
  await expect(prepareForPooler({ url, pooler, schema, log })).rejects.toThrow(
    "a session of the pooler of DATABASE_URL lacks the defaults of its role: " +
      'search_path="$user", public, statement_timeout=0, idle_in_transaction_session_timeout=0. ' +
      "Let the pooler reconnect (RECONNECT in PgBouncer's console), and its user be the one of DATABASE_DIRECT_URL",
  );
});

test("control: without its defaults, a role has no limits", async () => {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  resources.push({ close: () => client.end() });
  expect((await client.query(settings)).rows).toMatchObject([{ statement_timeout: "0", idle: "0" }]);
});
