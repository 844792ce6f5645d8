import { createTestDatabase, execute, openTestDatabase, type TestDatabase } from "@cloud/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { isUniqueViolation } from "../src/database-errors.ts";
import type { Database } from "../src/open-database.ts";
import { statement, type Tx } from "../src/statement.ts";

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase("test");
  db = openTestDatabase({ url: database.ownerUrl, schema: "test" });
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
  await database.drop();
});

const swallow = () => undefined;
const texts = async () =>
  (
    await db.read(statement<{ text: string }>`
      select text
      from notes
      order by id`)
  ).rows.map((r) => r.text);

test("commits the changes and returns the result", async () => {
  expect(
    await db.transaction(async (tx) => {
      await tx.query(statement`
        update notes
        set text = 'a'
        where id = 1`);
      return 42;
    }),
  ).toBe(42);
  expect(await texts()).toEqual(["a", ""]);
});

test("rolls back when `work` throws, and rethrows the error", async () => {
  const error = new Error("no");
  const running = db.transaction(async (tx) => {
    await tx.query(statement`
      update notes
      set text = 'a'`);
    throw error;
  });
  await expect(running).rejects.toBe(error);
  expect(await texts()).toEqual(["", ""]);
});

describe("after a swallowed SQL error", () => {
  test("it reports that the transaction was not committed", async () => {
    const running = db.transaction(async (tx) => {
      await tx.query(statement`
        update notes
        set text = 'a'`);
      await tx
        .query(statement`
          insert into notes
          values (1)`)
        .catch(swallow);
    });
    await expect(running).rejects.toThrow("it swallowed an SQL error");
    expect(await texts()).toEqual(["", ""]);
  });

  test("control: COMMIT itself succeeds, though it rolls back", async () => {
    const client = new pg.Client({ connectionString: database.ownerUrl, options: "-c search_path=test" });
    await client.connect();
    await client.query("begin");
    await client.query("update notes set text = 'a'");
    await client.query("insert into notes values (1)").catch(swallow);
    await client.query("commit");
    await client.end();
    expect(await texts()).toEqual(["", ""]);
  });
});

test("two deadlocked transactions both commit: the victim runs again", async () => {
  let runs = 0;
  let locked = 0;
  const both = Promise.withResolvers<void>();
  const committed = Promise.withResolvers<void>();
  const lockBoth = async (first: number, second: number) => {
    await db.transaction(async (tx) => {
      // A repetition that locks its first row before the other transaction has woken meets a deadlock again.
      if (++runs > 2) await committed.promise;
      await tx.query(
        statement`
          update notes
          set text = text || 'x'
          where id = $1`,
        [first],
      );
      if (++locked === 2) both.resolve();
      await both.promise;
      await tx.query(
        statement`
          update notes
          set text = text || 'x'
          where id = $1`,
        [second],
      );
    });
    committed.resolve();
  };
  await Promise.all([lockBoth(1, 2), lockBoth(2, 1)]);
  expect(await texts()).toEqual(["xx", "xx"]);
  expect(runs).toBe(3); // the control: one of them was the victim of a deadlock
});

test("gives up after three repetitions: the database is too busy", async () => {
  let runs = 0;
  const running = db.transaction(async (tx) => {
    runs++;
    await tx.query(statement`do $$ begin raise serialization_failure; end $$`);
  });
  await expect(running).rejects.toMatchObject({ name: "DatabaseUnavailable", cause: { code: "40001" } });
  expect(runs).toBe(4);
});

test("a finished transaction refuses statements", async () => {
  let kept: Tx | undefined;
  await db.transaction(async (tx) => {
    kept = tx;
  });
  await expect(kept?.query(statement`select 1`)).rejects.toThrow("the transaction is over");
});

test("statements that are not awaited still belong to the transaction", async () => {
  await db.transaction(async (tx) => {
    await Promise.all(
      [1, 2].map((id) =>
        tx.query(
          statement`
            update notes
            set text = 'a'
            where id = $1`,
          [id],
        ),
      ),
    );
  });
  expect(await texts()).toEqual(["a", "a"]);
});

test("a unique violation is recognized by its constraint", async () => {
  const error = await execute(
    db,
    statement`
      insert into notes
      values (1)`,
  ).catch((thrown: unknown) => thrown);
  expect([isUniqueViolation(error), isUniqueViolation(error, "notes_id")]).toEqual([true, true]);
  expect([isUniqueViolation(error, "other"), isUniqueViolation(new Error("x"))]).toEqual([false, false]);
});
