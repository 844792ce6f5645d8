import { type Id, newId } from "@cloud/contract";
import { type Database, openDatabase, type SqlText, sql } from "@cloud/postgres";
import { createTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { guardDatabase } from "../src/handlers/guard-database.ts";
import { liveRecords } from "../src/index.ts";

interface Note {
  readonly id: Id;
  readonly text: string;
}

let database: TestDatabase;
let opened: Database;
let db: Database;
/** The arrays of ids of the statements that read, through `db`. */
let statements: unknown[] = [];
/** Runs when a statement has been executed, before its result is returned. */
let afterRead: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase("test");
  opened = openDatabase({
    url: database.ownerUrl,
    schema: "test",
    applicationName: "test",
    log: testTelemetry().log,
  });
  const observed = async (text: SqlText, params?: readonly unknown[]) => {
    statements.push(params?.[0]);
    const result = await opened.query(text, params);
    await afterRead();
    return result;
  };
  db = { ...opened, query: observed as Database["query"] };
  await opened.query(sql`create table notes (id uuid primary key, text text, deleted_at timestamptz)`);
});
beforeEach(() => {
  statements = [];
  afterRead = async () => undefined;
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const notes = liveRecords<Note>(sql`notes`, sql`id, text`);
const inCall = (signal = new AbortController().signal) =>
  guardDatabase(db, { assertMayWrite: () => undefined }, signal);

async function insertNote(text: string): Promise<Id> {
  const id = newId();
  await opened.query(sql`insert into notes values ($1, $2)`, [id, text]);
  return id;
}

test("calls that read at the same time share a statement, and each receives its own row", async () => {
  const [one, two, deleted] = [await insertNote("one"), await insertNote("two"), await insertNote("deleted")];
  await opened.query(sql`update notes set deleted_at = now() where id = $1`, [deleted]);
  const unknown = newId();
  const ids = [one, two, deleted, unknown, one.toUpperCase() as Id, two];
  expect(await Promise.all(ids.map((id) => notes.select(inCall(), id)))).toEqual([
    { id: one, text: "one" },
    { id: two, text: "two" },
    undefined,
    undefined,
    { id: one, text: "one" },
    { id: two, text: "two" },
  ]);
  expect(statements).toEqual([[one, two, deleted, unknown, one.toUpperCase()]]);
});

test("a call reads what was committed before it, also while the statement of others is in flight", async () => {
  const id = await insertNote("before");
  const hasRead = Promise.withResolvers<void>();
  const mayReturn = Promise.withResolvers<void>();
  afterRead = async () => {
    hasRead.resolve();
    await mayReturn.promise;
  };
  const first = notes.select(inCall(), id);
  await hasRead.promise;
  await opened.query(sql`update notes set text = 'after' where id = $1`, [id]);
  const second = notes.select(inCall(), id);
  mayReturn.resolve();
  expect(await second).toEqual({ id, text: "after" });
  expect(await first).toEqual({ id, text: "before" });
});

test("a malformed id fails its own call only", async () => {
  const id = await insertNote("one");
  const reads = [notes.select(inCall(), "malformed" as Id), notes.select(inCall(), id)];
  const [malformed, valid] = await Promise.allSettled(reads);
  expect(malformed).toMatchObject({ reason: { message: 'invalid input syntax for type uuid: "malformed"' } });
  expect(valid).toEqual({ status: "fulfilled", value: { id, text: "one" } });
});

test("a call that has ended does not read", async () => {
  const ended = AbortSignal.abort(new Error("the caller has left"));
  await expect(notes.select(inCall(ended), newId())).rejects.toThrow("the caller has left");
  expect(statements).toEqual([]);
});

test("a transaction reads for itself, also what it has not committed", async () => {
  const id = newId();
  const row = await db.withTransaction(async (tx) => {
    await tx.query(sql`insert into notes values ($1, 'uncommitted')`, [id]);
    return await notes.select(tx, id);
  });
  expect(row).toEqual({ id, text: "uncommitted" });
  expect(statements).toEqual([]);
});
