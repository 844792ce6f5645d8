import { createTestDatabase, execute, openTestDatabase, type TestDatabase } from "@cloud/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import pg from "pg";
import type { Database } from "../src/open-database.ts";
import { type Reader, statement, type Tx } from "../src/statement.ts";
import { type RewritingProxy, startRewritingProxy } from "./rewriting-proxy.ts";

let database: TestDatabase;
let proxy: RewritingProxy;
let db: Database;

const openAt = (url: string) => openTestDatabase({ url, schema: "test", maxConnections: 1 });

beforeAll(async () => {
  database = await createTestDatabase("test");
  proxy = await startRewritingProxy(database.ownerUrl);
  db = openAt(proxy.url);
  await execute(db, statement`create table notes (id integer constraint notes_id primary key, text text)`);
});

beforeEach(async () => {
  await execute(db, statement`truncate notes`);
  await execute(
    db,
    statement`
    insert into notes
    values (1, ''), (2, '')`,
  );
});

afterAll(async () => {
  await db.close();
  await proxy.stop();
  await database.drop();
});

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const setText = statement`
  update notes
  set text = $2
  where id = $1`;
const insertAgain = statement`
  insert into notes
  values (1)`;
const select = (sqlOf: Reader, id: number) =>
  sqlOf.read(
    statement<{ text: string }>`
      select text
      from notes
      where id = $1`,
    [id],
  );
const texts = async () => [await select(db, 1), await select(db, 2)].map(({ rows }) => rows[0]?.text);

async function tripsOf(work: () => Promise<unknown>): Promise<number> {
  const before = proxy.roundTrips();
  await work();
  return proxy.roundTrips() - before;
}

test("BEGIN goes with the first statement, and a read is one round trip", async () => {
  const trips = await tripsOf(() =>
    db.transaction(async (tx) => {
      await tx.query(setText, [1, "a"]);
      await tx.query(setText, [2, "b"]);
    }),
  );
  expect([trips, await texts()]).toEqual([3, ["a", "b"]]);
  expect(await tripsOf(() => select(db, 1))).toBe(1);
});

test("the last statements go with COMMIT, in their order", async () => {
  const appending = async (tx: Tx) => {
    tx.atCommit({ statement: setText, params: [1, "b"] }, { statement: setText, params: [1, "c"] });
    await tx.query(setText, [1, "a"]);
    tx.atCommit({ statement: setText, params: [2, "c"] });
  };
  expect([await tripsOf(() => db.transaction(appending)), await texts()]).toEqual([2, ["c", "c"]]);
  const alone = (tx: Tx) => tx.atCommit({ statement: setText, params: [1, "d"] });
  expect([await tripsOf(() => db.transaction(alone)), await texts()]).toEqual([1, ["d", "c"]]);
});

test("a last statement that fails rolls the transaction back, and so does a value that cannot be sent", async () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  for (const [last, message] of [
    [{ statement: insertAgain, params: [] }, "notes_id"],
    [{ statement: setText, params: [2, circular] }, "circular"],
  ] as const) {
    const running = db.transaction(async (tx) => {
      await tx.query(setText, [1, "a"]);
      tx.atCommit({ statement: setText, params: [2, "a"] }, last);
    });
    await expect(running).rejects.toThrow(message);
  }
  expect(await texts()).toEqual(["", ""]);
});

test("a transaction that is over takes no last statement", async () => {
  const late = await db.transaction((tx) => () => tx.atCommit({ statement: setText, params: [1, "a"] }));
  expect(late).toThrow("the transaction is over");
  expect(await texts()).toEqual(["", ""]);
});

test("a batch is a transaction of one round trip: all of it, or nothing", async () => {
  const batch = [1, 2].map((id) => ({ statement: setText, params: [id, "a"] }));
  expect([await tripsOf(() => db.batch(batch)), await texts()]).toEqual([1, ["a", "a"]]);
  const failing = db.batch([
    { statement: setText, params: [1, "b"] },
    { statement: insertAgain, params: [] },
  ]);
  await expect(failing).rejects.toThrow("notes_id");
  expect(await texts()).toEqual(["a", "a"]);
  await db.batch([]);
});

test("a batch that loses a conflict is repeated", async () => {
  await execute(db, statement`create sequence runs`);
  await execute(
    db,
    statement`
    create function lose_twice() returns void language plpgsql as $$
      begin if nextval('runs') < 3 then raise serialization_failure; end if; end $$`,
  );
  const lose = { statement: statement`select lose_twice()`, params: [] };
  await db.batch([{ statement: setText, params: [1, "a"] }, lose]);
  expect(await texts()).toEqual(["a", ""]);
});

test("a read that loses a conflict is repeated", async () => {
  // A lock of the session outlives the read that failed, so the next one finds it.
  await execute(
    db,
    statement`
    create function lose_once() returns text language plpgsql as $$
      begin
        if exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) then
          return 'read';
        end if;
        perform pg_advisory_lock(1);
        raise serialization_failure;
      end $$`,
  );
  const { rows } = await db.read(statement`select lose_once() as text`);
  expect(rows).toEqual([{ text: "read" }]);
  await execute(db, statement`select pg_advisory_unlock(1)`);
});

test("a transaction without a statement is confirmed, too", async () => {
  expect(await tripsOf(() => db.transaction(() => undefined))).toBe(1);
});

test("statements that are not awaited run in their order, and each with its own result", async () => {
  const seen = await db.transaction((tx) =>
    Promise.all([tx.query(setText, [1, "a"]), select(tx, 1), tx.query(setText, [1, "b"]), select(tx, 1)]),
  );
  expect([seen[1].rows, seen[3].rows]).toEqual([[{ text: "a" }], [{ text: "b" }]]);
});

test("a first statement that fails is prepared by its next use", async () => {
  const failing = db.transaction((tx) => tx.query(insertAgain));
  await expect(failing).rejects.toThrow("notes_id");
  await execute(db, statement`delete from notes`);
  expect((await execute(db, insertAgain)).rowCount).toBe(1);
});

test("a value that cannot be sent fails its transaction", async () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  for (const first of [
    [1, "a"],
    [1, circular],
  ]) {
    const running = db.transaction(async (tx) => {
      await tx.query(setText, first);
      await tx.query(setText, [2, circular]);
    });
    await expect(running).rejects.toThrow("circular");
  }
  expect(await texts()).toEqual(["", ""]);
});

test("a statement that writes does not pass the door for reads, whatever it looks like", async () => {
  const within = statement`
    with changed as (
      update notes
      set text = 'a'
      returning id
    )
    select id
    from changed`;
  for (const one of [setText, within]) {
    const refused = await db.read(one, one === setText ? [1, "a"] : []).catch((error: unknown) => error);
    expect(String((refused as Error).cause)).toContain("read-only transaction");
  }
  expect(await texts()).toEqual(["", ""]);
  expect((await execute(db, setText, [1, "a"])).rowCount).toBe(1);
});

/** Sends `begun` in place of `begin`, so that BEGIN fails with a syntax error. */
async function startWithoutBegin(): Promise<string> {
  const breaking = await startRewritingProxy(database.ownerUrl, "begin", "begun");
  cleanups.push(breaking.stop);
  return breaking.url;
}

test("after a BEGIN that failed no statement takes effect", async () => {
  const broken = openAt(await startWithoutBegin());
  cleanups.push(broken.close);
  const running = broken.transaction((tx) => Promise.all([tx.query(setText, [1, "a"]), tx.query(setText, [2, "b"])]));
  await expect(running).rejects.toThrow('syntax error at or near "begun"');
  const batch = broken.batch([{ statement: setText, params: [1, "a"] }]);
  await expect(batch).rejects.toThrow('syntax error at or near "begun"');
  expect(await texts()).toEqual(["", ""]);
});

test("control: in the pipeline mode of pg, the statement after it commits", async () => {
  const connectionString = await startWithoutBegin();
  const client = new pg.Client({ connectionString, options: "-c search_path=test", pipeline: true });
  await client.connect();
  cleanups.push(() => client.end());
  const [begin] = await Promise.allSettled([client.query("begin"), client.query(setText.text, [1, "a"])]);
  expect(begin.status).toBe("rejected");
  expect(await texts()).toEqual(["a", ""]);
});
