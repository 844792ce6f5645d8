import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BoundStatement, migrate, openDatabase, sql, statement } from "@cloud/postgres";
import { createTestDatabase, execute, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrationsOf } from "../src/index.ts";
import { isChanged, lockingAll } from "../src/records/lock-all.ts";

const schema = "test";
const { log } = testTelemetry();
const resources = new AsyncDisposableStack();
let run: (statements: BoundStatement[]) => Promise<unknown>;

beforeAll(async () => {
  const database = await createTestDatabase(schema);
  resources.defer(() => database.drop());
  const migrations = await mkdtemp(path.join(tmpdir(), "no-migrations-"));
  resources.defer(() => rm(migrations, { recursive: true }));
  const sources = migrationsOf({ name: schema, migrations, appendOnly: [], logs: [], readOnly: [] });
  await migrate({ url: database.ownerUrl, schema, sources, log });
  const db = openDatabase({ url: database.ownerUrl, schema, applicationName: "test", log });
  resources.defer(() => db.close());
  await execute(db, statement`create table notes (id integer primary key)`);
  await execute(db, statement`insert into notes values (1), (2)`);
  run = (statements) => db.batch(statements).catch((error: unknown) => error);
});
afterAll(() => resources.disposeAsync());

const lock = lockingAll(sql`
  select
  from notes
  where id = any($1::integer[])
  for update`);

test("a transaction that locks as many rows as it wants commits", async () => {
  expect(await run([lock([1, 2], 2)])).toBeUndefined();
});

test("one that locks fewer fails, and as of no other error", async () => {
  expect(isChanged(await run([lock([1, 3], 2)]))).toBe(true);
  expect(isChanged(await run([{ statement: statement`select 1 / 0`, params: [] }]))).toBe(false);
});
