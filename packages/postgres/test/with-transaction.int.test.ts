import { createTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { type Database, isUniqueViolation, openDatabase, type Tx } from "../src/index.ts";

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase("test");
  db = openDatabase({ url: database.url, schema: "test", applicationName: "test", log: testTelemetry().log });
  await db.query("create table notes (id integer constraint notes_id primary key, text text)");
});

beforeEach(async () => {
  await db.query("truncate notes");
  await db.query("insert into notes values (1, ''), (2, '')");
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const swallow = () => undefined;
const texts = async () =>
  (await db.query<{ text: string }>("select text from notes order by id")).rows.map((r) => r.text);

test("commits what was done, and answers the result", async () => {
  expect(
    await db.withTransaction(async (tx) => {
      await tx.query("update notes set text = 'a' where id = 1");
      return 42;
    }),
  ).toBe(42);
  expect(await texts()).toEqual(["a", ""]);
});

test("rolls back when the work throws, and throws the same error", async () => {
  const error = new Error("no");
  const running = db.withTransaction(async (tx) => {
    await tx.query("update notes set text = 'a'");
    throw error;
  });
  await expect(running).rejects.toBe(error);
  expect(await texts()).toEqual(["", ""]);
});

describe("after an SQL error that was swallowed", () => {
  test("it reports that nothing was committed", async () => {
    const running = db.withTransaction(async (tx) => {
      await tx.query("update notes set text = 'a'");
      await tx.query("insert into notes values (1)").catch(swallow);
    });
    await expect(running).rejects.toThrow("it swallowed an SQL error");
    expect(await texts()).toEqual(["", ""]);
  });

  test("control: COMMIT itself succeeds, though it rolls back", async () => {
    const client = new pg.Client({ connectionString: database.url, options: "-c search_path=test" });
    await client.connect();
    await client.query("begin");
    await client.query("update notes set text = 'a'");
    await client.query("insert into notes values (1)").catch(swallow);
    await client.query("commit");
    await client.end();
    expect(await texts()).toEqual(["", ""]);
  });
});

test("two that lock each other out both commit: the loser runs again", async () => {
  let runs = 0;
  const both = Promise.withResolvers<void>();
  const lockBoth = (first: number, second: number) =>
    db.withTransaction(async (tx) => {
      await tx.query("update notes set text = text || 'x' where id = $1", [first]);
      if (++runs === 2) both.resolve();
      await both.promise;
      await tx.query("update notes set text = text || 'x' where id = $1", [second]);
    });
  await Promise.all([lockBoth(1, 2), lockBoth(2, 1)]);
  expect(await texts()).toEqual(["xx", "xx"]);
  expect(runs).toBe(3); // the control: one of them was a deadlock's victim
});

test("gives up after three repetitions: the database is too busy", async () => {
  let runs = 0;
  const running = db.withTransaction(async (tx) => {
    runs++;
    await tx.query("do $$ begin raise serialization_failure; end $$");
  });
  await expect(running).rejects.toMatchObject({ name: "DatabaseUnavailable", cause: { code: "40001" } });
  expect(runs).toBe(4);
});

test("a statement outside of a transaction that lost against another runs again", async () => {
  await db.query("create sequence runs");
  await db.query(
    "create function lose_once() returns bigint language plpgsql as $$ declare run bigint = nextval('runs');" +
      " begin if run = 1 then raise serialization_failure; end if; return run; end $$",
  );
  expect((await db.query("select lose_once() as run")).rows).toEqual([{ run: "2" }]);
});

test("a transaction that is over refuses statements", async () => {
  let kept: Tx | undefined;
  await db.withTransaction(async (tx) => {
    kept = tx;
  });
  await expect(kept?.query("select 1")).rejects.toThrow("the transaction is over");
});

test("statements that are not awaited still belong to the transaction", async () => {
  await db.withTransaction(async (tx) => {
    await Promise.all([1, 2].map((id) => tx.query("update notes set text = 'a' where id = $1", [id])));
  });
  expect(await texts()).toEqual(["a", "a"]);
});

test("a unique violation is told by its constraint", async () => {
  const error = await db.query("insert into notes values (1)").catch((thrown: unknown) => thrown);
  expect([isUniqueViolation(error), isUniqueViolation(error, "notes_id")]).toEqual([true, true]);
  expect([isUniqueViolation(error, "other"), isUniqueViolation(new Error("x"))]).toEqual([false, false]);
});
