import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { migrate, openDatabase, statement, type Tx } from "@cloud/postgres";
import { createTestDatabase, execute, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrationsOf } from "../src/index.ts";
import { Changed, lockAll } from "../src/records/lock-all.ts";

const schema = "test";
const { log } = testTelemetry();
const resources = new AsyncDisposableStack();
let run: (work: (tx: Tx) => unknown) => Promise<unknown>;

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
  run = (work) => db.transaction(work).catch((error: unknown) => error);
});
afterAll(() => resources.disposeAsync());

const rows = statement`
  select
  from notes
  where id = any($1::integer[])
  for update`;

test("a transaction that locks as many rows as it wants commits", async () => {
  expect(await run((tx) => lockAll(tx, rows, [1, 2], 2))).toBeUndefined();
});

test("one that locks fewer fails, and as of no other error", async () => {
  expect(await run((tx) => lockAll(tx, rows, [1, 3], 2))).toBeInstanceOf(Changed);
  expect(await run((tx) => tx.query(statement`select 1 / 0`))).not.toBeInstanceOf(Changed);
});
