import { createTestDatabase, execute, openTestDatabase, type TestDatabase } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Database } from "../src/open-database.ts";
import { plannedEachTime, sql, statement } from "../src/statement.ts";

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase("prepared");
  db = openTestDatabase({ url: database.ownerUrl, schema: "prepared", maxConnections: 1 });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const known = async () => {
  const { rows } = await db.read(statement<{ statement: string }>`
    select statement
    from pg_prepared_statements`);
  return rows.map(({ statement }) => statement);
};

test("a statement is prepared once per connection, inside and outside transactions", async () => {
  const sent = statement`select $1::integer + 1 as next`;
  expect((await db.read(sent, [1])).rows).toEqual([{ next: 2 }]);
  expect((await db.transaction((tx) => tx.query(sent, [2]))).rows).toEqual([{ next: 3 }]);
  expect((await known()).filter((text) => text === sent.text)).toHaveLength(1);
});

test("a failed statement can be sent again", async () => {
  const sent = statement`select 1 / $1::integer as part`;
  await expect(db.read(sent, [0])).rejects.toThrow("division by zero");
  expect((await db.read(sent, [1])).rows).toEqual([{ part: 1 }]);
});

test("a statement planned each time is not prepared", async () => {
  await execute(db, plannedEachTime(sql`select $1::integer as ordinary`), [1]);
  expect((await known()).filter((statement) => statement.includes("ordinary"))).toEqual([]);
});
