import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Id, newId } from "@cloud/access/values";
import { type BoundStatement, type Database, type Reader, sql, statement } from "@cloud/postgres";
import { migrate } from "@cloud/postgres/migrations";
import { createTestDatabase, execute, openTestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { liveRecords } from "../src/records/live-records-sql.ts";
import { isChanged, lockingAll } from "../src/records/soft-deletes-sql.ts";
import { migrationsOf } from "../src/service-config.ts";

const schema = "test";
const { log } = testTelemetry();
const resources = new AsyncDisposableStack();
let db: Database;

beforeAll(async () => {
  const database = await createTestDatabase(schema);
  resources.defer(() => database.drop());
  const migrations = await mkdtemp(path.join(tmpdir(), "no-migrations-"));
  resources.defer(() => rm(migrations, { recursive: true }));
  const sources = migrationsOf({ name: schema, migrations, appendOnly: [], logs: [], readOnly: [] });
  await migrate({ url: database.ownerUrl, schema, sources, log });
  db = openTestDatabase({ url: database.ownerUrl, schema, log });
  resources.defer(() => db.close());
  await execute(db, statement`create table notes (id uuid primary key, text text, deleted_at timestamptz)`);
});
afterAll(() => resources.disposeAsync());

async function insertNote(text: string): Promise<Id> {
  const id = newId();
  await execute(db, statement`insert into notes values ($1, $2)`, [id, text]);
  return id;
}

describe("a transaction that locks all rows it wants", () => {
  const run = (statements: BoundStatement[]) =>
    db.batch(statements).then(
      () => "committed",
      (error: unknown) => error,
    );
  const lock = lockingAll(sql`
    select
    from notes
    where id = any($1::uuid[])
    for update`);

  test("commits if it locks as many", async () => {
    expect(await run([lock([await insertNote("one"), await insertNote("two")], 2)])).toBe("committed");
  });

  test("fails if it locks fewer, and as of no other error", async () => {
    expect(isChanged(await run([lock([await insertNote("one"), newId()], 2)]))).toBe(true);
    expect(isChanged(await run([{ statement: statement`select 1 / 0`, params: [] }]))).toBe(false);
  });
});

describe("reads by id that arrive together", () => {
  const { selectShared } = liveRecords<{ readonly id: Id; readonly text: string }>(sql`notes`, sql`id, text`);

  test("are one statement, and each receives its own row", async () => {
    const [one, two, deleted] = [await insertNote("one"), await insertNote("two"), await insertNote("deleted")];
    await execute(db, statement`update notes set deleted_at = now() where id = $1`, [deleted]);
    const statements: unknown[] = [];
    const observed: Reader = {
      ...db,
      read: (sent, params) => {
        statements.push(params);
        return db.read(sent, params);
      },
    };
    const unknown = newId();
    const ids = [one, two, deleted, unknown, one.toUpperCase() as Id, two];
    expect(await Promise.all(ids.map(selectShared(observed)))).toEqual([
      { id: one, text: "one" },
      { id: two, text: "two" },
      undefined,
      undefined,
      { id: one, text: "one" },
      { id: two, text: "two" },
    ]);
    expect(statements).toEqual([[[one, two, deleted, unknown, one.toUpperCase()]]]);
  });

  test("read what was committed before them, also while a statement of others is in flight", async () => {
    const id = await insertNote("before");
    const hasRead = Promise.withResolvers<void>();
    const mayReturn = Promise.withResolvers<void>();
    const select = selectShared({
      ...db,
      read: async (sent, params) => {
        const result = await db.read(sent, params);
        hasRead.resolve();
        await mayReturn.promise;
        return result;
      },
    });
    const first = select(id);
    await hasRead.promise;
    await execute(db, statement`update notes set text = 'after' where id = $1`, [id]);
    const second = select(id);
    mayReturn.resolve();
    expect(await second).toEqual({ id, text: "after" });
    expect(await first).toEqual({ id, text: "before" });
  });
});
