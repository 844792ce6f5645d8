import { createTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import pg from "pg";
import { type Database, isUniqueViolation, openDatabase, type Sql, sql, together } from "../src/index.ts";
import { type RewritingProxy, startRewritingProxy } from "./rewriting-proxy.ts";

let database: TestDatabase;
let proxy: RewritingProxy;
let db: Database;

const openAt = (url: string) =>
  openDatabase({ url, schema: "test", applicationName: "test", log: testTelemetry().log, maxConnections: 1 });

beforeAll(async () => {
  database = await createTestDatabase("test");
  proxy = await startRewritingProxy(database.ownerUrl);
  db = openAt(proxy.url);
  await db.query(sql`create table notes (id integer constraint notes_id primary key, text text)`);
});

beforeEach(async () => {
  await db.query(sql`truncate notes`);
  await db.query(sql`
    insert into notes
    values (1, ''), (2, '')`);
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

const setText = sql`
  update notes
  set text = $2
  where id = $1`;
const insertAgain = sql`
  insert into notes
  values (1)`;
const select = (sqlOf: Sql, id: number) =>
  sqlOf.query<{ text: string }>(
    sql`
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

test("BEGIN goes with the first statement, and COMMIT with those that are queued", async () => {
  const trips = await tripsOf(() =>
    db.withTransaction(async (tx) => {
      await select(tx, 1);
      tx.queue(setText, [1, "a"]);
      tx.queue(setText, [2, "b"]);
    }),
  );
  expect([trips, await texts()]).toEqual([2, ["a", "b"]]);
});

test("statements that begin in one go share a round trip", async () => {
  const trips = await tripsOf(() => db.withTransaction((tx) => together([select(tx, 1), select(tx, 2)])));
  expect(trips).toBe(2);
});

test("queued statements alone take one round trip with BEGIN and COMMIT", async () => {
  expect(await tripsOf(() => db.withTransaction((tx) => tx.queue(setText, [1, "a"])))).toBe(1);
  expect(await texts()).toEqual(["a", ""]);
});

test("a transaction without a statement is confirmed, too", async () => {
  expect(await tripsOf(() => db.withTransaction(() => undefined))).toBe(1);
});

test("queued statements run in their order, before the next one", async () => {
  const seen = await db.withTransaction(async (tx) => {
    tx.queue(setText, [1, "a"]);
    tx.queue(setText, [1, "b"]);
    return (await select(tx, 1)).rows;
  });
  expect(seen).toEqual([{ text: "b" }]);
});

test("a queued statement that fails keeps the transaction from committing, and its error is thrown", async () => {
  const alone = db.withTransaction((tx) => {
    tx.queue(setText, [1, "a"]);
    tx.queue(insertAgain);
    tx.queue(setText, [2, "b"]);
  });
  expect(isUniqueViolation(await alone.catch((error: unknown) => error), "notes_id")).toBe(true);
  const behindAnother = db.withTransaction(async (tx) => {
    const first = select(tx, 1);
    tx.queue(insertAgain);
    await first;
  });
  expect(isUniqueViolation(await behindAnother.catch((error: unknown) => error), "notes_id")).toBe(true);
  expect(await texts()).toEqual(["", ""]);
});

test("a queued statement that loses a conflict is repeated with its transaction", async () => {
  let runs = 0;
  await db.withTransaction((tx) => {
    tx.queue(setText, [1, `${++runs}`]);
    if (runs < 3) tx.queue(sql`do $$ begin raise serialization_failure; end $$`);
  });
  expect(await texts()).toEqual(["3", ""]);
});

test("a statement that was skipped is prepared by its next use", async () => {
  const skipped = sql`select 'skipped' as word`;
  const failing = db.withTransaction((tx) => together([tx.query(insertAgain), tx.query(skipped)]));
  await expect(failing).rejects.toThrow("notes_id");
  expect((await db.withTransaction((tx) => tx.query(skipped))).rows).toEqual([{ word: "skipped" }]);
  expect((await db.query(skipped)).rows).toEqual([{ word: "skipped" }]);
});

test("a statement twice in a round trip is prepared once", async () => {
  const twice = sql`select $1::integer as number`;
  const [one, two] = await db.withTransaction((tx) => together([tx.query(twice, [1]), tx.query(twice, [2])]));
  expect([one.rows, two.rows]).toEqual([[{ number: 1 }], [{ number: 2 }]]);
});

test("a value that cannot be sent fails its statement only, and no later one is sent", async () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const running = db.withTransaction((tx) =>
    together([tx.query(setText, [1, "a"]), tx.query(setText, [2, circular]), tx.query(setText, [2, "c"])]),
  );
  await expect(running).rejects.toThrow("circular");
  expect(await texts()).toEqual(["", ""]);
});

test("of work done together, the first failure in the list is thrown, once all have ended", async () => {
  const late = Promise.withResolvers<never>();
  const both = together([late.promise, Promise.reject(new Error("second"))]);
  late.reject(new Error("first"));
  await expect(both).rejects.toThrow("first");
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
  const running = broken.withTransaction(async (tx) => {
    tx.queue(setText, [1, "a"]);
    await tx.query(setText, [2, "b"]);
  });
  await expect(running).rejects.toThrow('syntax error at or near "begun"');
  const alone = broken.withTransaction((tx) => tx.queue(setText, [1, "a"]));
  await expect(alone).rejects.toThrow('syntax error at or near "begun"');
  expect(await texts()).toEqual(["", ""]);
});

test("control: in the pipeline mode of pg, the statement after it commits", async () => {
  const connectionString = await startWithoutBegin();
  const client = new pg.Client({ connectionString, options: "-c search_path=test", pipeline: true });
  await client.connect();
  cleanups.push(() => client.end());
  const [begin] = await Promise.allSettled([client.query("begin"), client.query(setText, [1, "a"])]);
  expect(begin.status).toBe("rejected");
  expect(await texts()).toEqual(["a", ""]);
});
