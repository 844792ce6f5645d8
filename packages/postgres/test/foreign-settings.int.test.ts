import { createTestDatabase, execute, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { withSession } from "../src/migrations/in-one-session.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { prepareForPooler } from "../src/migrations/prepare-for-pooler.ts";
import { openDatabase } from "../src/open-database.ts";
import { statement } from "../src/statement.ts";

/** Settings that a database or a role may have. Each changes what a statement does, or how its result is printed. */
const FOREIGN = {
  datestyle: "German, DMY",
  timezone: "Asia/Kolkata",
  intervalstyle: "iso_8601",
  bytea_output: "escape",
  extra_float_digits: "-10",
  standard_conforming_strings: "off",
  transform_null_equals: "on",
  array_nulls: "off",
  search_path: "elsewhere",
  client_encoding: "LATIN1",
  statement_timeout: "7ms",
  lock_timeout: "7ms",
  idle_in_transaction_session_timeout: "7ms",
  idle_session_timeout: "7ms",
  default_transaction_isolation: "serializable",
  default_transaction_deferrable: "on",
  gin_fuzzy_search_limit: "1",
};

const OWN = {
  datestyle: "ISO, MDY",
  timezone: "UTC",
  intervalstyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  transform_null_equals: "off",
  array_nulls: "on",
  search_path: "test",
  client_encoding: "UTF8",
  statement_timeout: "3s",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "5s",
  idle_session_timeout: "0",
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  gin_fuzzy_search_limit: "0",
};

/** The options of the connections of the test itself. */
const PATIENT = "-c statement_timeout=0 -c lock_timeout=0 -c idle_session_timeout=0";

const { log } = testTelemetry();
const schema = "test";
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase(schema);
  const owner = openDatabase({ url: database.ownerUrl, schema, applicationName: "owner", log });
  await execute(owner, statement`create table told (line text)`);
  await owner.close();
  const [name] = await asSuperuser("select current_database() as name");
  const role = new URL(database.ownerUrl).username;
  const settings = Object.entries(FOREIGN);
  for (const [index, [setting, value]] of settings.entries()) {
    // By the database, and by the role in it, which has the last word.
    const whose = index % 2 === 0 ? `database ${name?.["name"]}` : `role ${role} in database ${name?.["name"]}`;
    await asSuperuser(`alter ${whose} set ${setting} to '${value}'`);
  }
  for (const where of ["", ` in database ${name?.["name"]}`]) {
    await asSuperuser(`alter role ${role}${where} set transaction_timeout to '900ms'`);
  }
});

afterAll(() => database.drop());

async function asSuperuser(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.superuserUrl, options: PATIENT });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const select = statement<Setting>`
  select name, current_setting(name) as value
  from unnest($1::text[]) as name`;

interface Setting {
  readonly name: string;
  readonly value: string;
}

const asRecord = (rows: readonly Setting[]) => Object.fromEntries(rows.map(({ name, value }) => [name, value]));
const open = (url = database.ownerUrl) =>
  openDatabase({ url, schema, applicationName: "test", log, maxConnections: 1 });
const names = [Object.keys(OWN)];

describe("whatever a database and a role are set to", () => {
  test("a pool has the program's settings, alone and in transactions", async () => {
    const db = open();
    expect(asRecord((await db.read(select, names)).rows)).toEqual(OWN);
    const inside = await db.transaction(async (tx) => (await tx.query(select, names)).rows);
    expect(asRecord(inside)).toEqual(OWN);
    await db.close();
  });

  test("a time is a time, and bytes are bytes", async () => {
    const db = open();
    const text = statement`
      select '2026-11-22T18:12:06.123Z'::timestamptz as time, '\x01ff'::bytea as bytes, 0.1::float8 + 0.2 as sum`;
    expect((await db.read(text)).rows).toEqual([
      { time: new Date("2026-11-22T18:12:06.123Z"), bytes: Buffer.from([1, 255]), sum: 0.30000000000000004 },
    ]);
    await db.close();
  });

  test("a migration has them, without limits of time", async () => {
    const unlimited = { ...OWN, statement_timeout: "0", transaction_timeout: "0" };
    const all = [Object.keys(unlimited)];
    await withSession({ url: database.ownerUrl, schema, applicationName: "session", log }, async (client) => {
      expect(asRecord((await client.query<Setting>(select.text, all)).rows)).toEqual(unlimited);
    });
    await migrate({ url: database.ownerUrl, schema, sources: [], log });
  });

  test("control: a connection without them has the settings of the database and the role", async () => {
    const client = new pg.Client({ connectionString: database.ownerUrl, options: PATIENT });
    await client.connect();
    const { rows } = await client.query<Setting>(
      "select name, setting as value from pg_settings where name = any($1)",
      [["DateStyle", "TimeZone", "default_transaction_isolation"]],
    );
    await client.end();
    expect(asRecord(rows)).toEqual({
      DateStyle: "German, DMY",
      TimeZone: "Asia/Kolkata",
      default_transaction_isolation: "serializable",
    });
  });
});

test("a transaction reads what others have committed meanwhile, also where its level is not the session's", async () => {
  const db = open();
  const other = open();
  const count = statement`
    select count(*)::integer as rows
    from told`;
  const add = statement`
    insert into told (line)
    values ('x')`;
  await execute(db, statement`set session characteristics as transaction isolation level repeatable read`);
  const counts = await db.transaction(async (tx) => {
    const before = (await tx.query(count)).rows;
    await execute(other, add);
    return [before, (await tx.query(count)).rows];
  });
  expect(counts).toEqual([[{ rows: 0 }], [{ rows: 1 }]]);
  await Promise.all([db.close(), other.close()]);
});

test("behind a pooler they are the defaults of the role", async () => {
  const pooler = { directUrl: database.ownerUrl, keepsStatements: false };
  await prepareForPooler({ url: database.ownerUrl, pooler, schema, log });
  const db = openDatabase({ url: database.ownerUrl, pooler, schema, applicationName: "pooled", log });
  expect(asRecord((await db.read(select, names)).rows)).toEqual(OWN);
  await db.close();
});
