import { type Database, openDatabase, statement, type Tx } from "@cloud/postgres";
import { createTestDatabase, execute, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { guardDatabase } from "../src/bind-handlers.ts";

// A caller leaves, or its deadline passes, while its call waits for a connection to Postgres.

const allowed = { assertMayWrite: () => undefined };
const left = new Error("the caller has left");
let database: TestDatabase;
/** A pool of one connection, which every test occupies first. */
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase("test");
  const options = { url: database.ownerUrl, schema: "test", applicationName: "test", log: testTelemetry().log };
  db = openDatabase({ ...options, maxConnections: 1 });
  await execute(db, statement`create table notes (id integer)`);
});
beforeEach(async () => {
  await execute(db, statement`delete from notes`);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const write = (tx: Tx) => tx.query(statement`insert into notes values (1)`);
const notes = async () => (await db.read(statement`select from notes`)).rows.length;

/** Calls while the only connection is taken, and lets the caller leave before it is free. */
async function abandon(call: (guarded: Database) => Promise<unknown>, guard = guardDatabase): Promise<unknown> {
  const [taken, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const occupying = db.transaction(async () => {
    taken.resolve();
    await free.promise;
  });
  await taken.promise;
  const caller = new AbortController();
  const outcome = call(guard(db, allowed, caller.signal)).then(
    () => "done",
    (error: unknown) => error,
  );
  caller.abort(left);
  free.resolve();
  await occupying;
  return await outcome;
}

test("the work of a transaction does not begin", async () => {
  expect(await abandon((guarded) => guarded.transaction(write))).toBe(left);
  expect(await notes()).toBe(0);
});

test("control: without the guard, it does", async () => {
  const unguarded = () => db;
  expect(await abandon((same) => same.transaction(write), unguarded)).toBe("done");
  expect(await notes()).toBe(1);
});

test("neither a read nor a transaction is queued any more; the failure of the call can still be recorded", async () => {
  const guarded = guardDatabase(db, allowed, AbortSignal.abort(left));
  await expect(guarded.read(statement`select from notes`)).rejects.toBe(left);
  await expect(guarded.transaction(write)).rejects.toBe(left);
  expect(await notes()).toBe(0);
  await guardDatabase(db, allowed).transaction(write);
  expect(await notes()).toBe(1);
});
