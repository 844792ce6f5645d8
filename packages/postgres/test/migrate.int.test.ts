import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, type TestDatabase, testTelemetry, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import pg from "pg";
import { migrate } from "../src/index.ts";

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase("test");
  folder = await mkdtemp(path.join(tmpdir(), "migrations-"));
  await write("0001_notes.sql", "create table notes (id integer); insert into notes values (1);");
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const write = (file: string, sql: string) => writeFile(path.join(folder, file), sql);
const run = (schema = "test", url = database.url) =>
  migrate({ url, schema, sources: [{ folder, name: "notes" }], log: testTelemetry().log });

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url, options: "-c search_path=test" });
  await client.connect();
  return client;
}

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = await connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

test("20 at once apply each migration once", async () => {
  await Promise.all(Array.from({ length: 20 }, () => run()));
  expect(await query("select id from notes")).toEqual([{ id: 1 }]);
  expect(await query("select source, name from schema_migrations")).toEqual([
    { source: "notes", name: "0001_notes.sql" },
  ]);
});

test("control: without the lock, the second of two at once fails even with IF NOT EXISTS", async () => {
  const create = "create table if not exists notes (id integer)";
  const [first, second] = await Promise.all([connect(), connect()]);
  await first.query("begin");
  await first.query(create);
  const outcome = second.query(create).then(
    () => "created",
    (error: { code?: string }) => error.code,
  );
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await waitFor(async () => (await first.query(waiting)).rowCount || undefined, { deadlineMs: 5000 });
  await first.query("commit");
  expect(await outcome).toBe("23505");
  await Promise.all([first.end(), second.end()]);
});

test("applies only what is new, and leaves alone what it does not know", async () => {
  await run();
  await query("insert into schema_migrations values ('notes', '0009_newer.sql')");
  await write("0002_more.sql", "insert into notes values (2)");
  await run();
  expect(await query("select id from notes order by id")).toEqual([{ id: 1 }, { id: 2 }]);
});

test("a migration that fails leaves nothing behind and is named", async () => {
  await write("0002_bad.sql", "create table half (id integer); select 1/0;");
  await expect(run()).rejects.toThrow("migration notes/0002_bad.sql failed");
  expect(await query("select to_regclass('half') as half")).toEqual([{ half: null }]);
});

test("creates a schema that is missing, where that is permitted", async () => {
  await run("fresh", database.superuserUrl);
  await expect(run("forbidden")).rejects.toMatchObject({ code: "42501" });
});

test("refuses a file that is not named NNNN_name.sql, and a number used twice", async () => {
  await write("2-other.sql", "");
  await expect(run()).rejects.toThrow("a migration is named NNNN_name.sql");
  await rm(path.join(folder, "2-other.sql"));
  await write("0001_again.sql", "");
  await expect(run()).rejects.toThrow("two migrations have the number 0001");
});
