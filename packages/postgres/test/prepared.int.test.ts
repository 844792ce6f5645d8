import { createTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Database, openDatabase, prepared } from "../src/index.ts";

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase("prepared");
  const { log } = testTelemetry();
  db = openDatabase({ url: database.url, schema: "prepared", applicationName: "test", log, maxConnections: 1 });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const known = async () => {
  const { rows } = await db.query<{ statement: string }>("select statement from pg_prepared_statements");
  return rows.map(({ statement }) => statement);
};

test("a statement is prepared once on a connection, inside of transactions and outside", async () => {
  const statement = prepared("select $1::integer + 1 as next");
  expect(prepared(statement)).toBe(statement);
  expect((await db.query(statement, [1])).rows).toEqual([{ next: 2 }]);
  expect((await db.withTransaction((tx) => tx.query(statement, [2]))).rows).toEqual([{ next: 3 }]);
  expect(await known()).toEqual([statement]);
});

test("one that failed can be sent again", async () => {
  const statement = prepared("select 1 / $1::integer as part");
  await expect(db.query(statement, [0])).rejects.toThrow("division by zero");
  expect((await db.query(statement, [1])).rows).toEqual([{ part: 1 }]);
});

test("others are not prepared", async () => {
  await db.query("select $1::integer as ordinary", [1]);
  expect((await known()).filter((statement) => statement.includes("ordinary"))).toEqual([]);
});
