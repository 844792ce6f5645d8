import { writeFileSync } from "node:fs";
import path from "node:path";
import { type Condition, createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import { createTestDatabase, execute, type TestDatabase, testFolder, testTelemetry, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { DatabaseUnavailable } from "../src/database-errors.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { type Database, openDatabase } from "../src/open-database.ts";
import { statement } from "../src/statement.ts";

const DEADLINE = { deadlineMs: 30_000 };
const schema = "test";
let database: TestDatabase;
let telemetry: Telemetry;
let user: string;
const resources: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase(schema);
  telemetry = testTelemetry();
  user = new URL(database.ownerUrl).username;
});

afterEach(async () => {
  for (const release of resources.splice(0)) await release();
  await asSuperuser(`alter database ${nameOfDatabase()} reset default_transaction_read_only`);
  await database.drop();
});

const nameOfDatabase = () => new URL(database.ownerUrl).pathname.slice(1);
const conditions = (): Condition[] => [...telemetry.conditions.list()];

async function asSuperuser(text: string): Promise<void> {
  const client = new pg.Client({
    connectionString: database.superuserUrl,
    options: "-c default_transaction_read_only=off",
  });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** Sets the password and ends all sessions, as a rotation of credentials does. */
async function setPassword(password: string): Promise<void> {
  await asSuperuser(`alter role ${user} password '${password}'`);
  await endSessions();
}

const endSessions = () =>
  asSuperuser(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = '${user}'`);

function open(url = database.ownerUrl): Database {
  const db = openDatabase({
    url,
    schema,
    applicationName: "test",
    log: telemetry.log,
    conditions: telemetry.conditions,
  });
  resources.push(() => db.close());
  return db;
}

/** Returns the URL with the password in a file, and the function that writes it. */
function withPasswordFile(): { url: string; write(password: string): void } {
  const url = new URL(database.ownerUrl);
  const file = path.join(testFolder(), `password-${user}`);
  const write = (password: string) => writeFileSync(file, `${password}\n`, { mode: 0o600 });
  write(url.password);
  url.password = "";
  url.searchParams.set("passwordfile", file);
  return { url: url.href, write };
}

const works = async (db: Database) => (await db.read(statement`select 1`)).rowCount === 1;

/** A pool may still lend a connection that was ended since. */
const refusalOf = (db: Database) =>
  waitFor(async () => {
    const error: unknown = await db.read(statement`select 1`).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    return String((error as Error | undefined)?.cause).includes("terminat") ? undefined : error;
  }, DEADLINE);

describe("a password that is replaced", () => {
  test("makes the database unavailable, with a condition, until the file has the new one", async () => {
    const { url, write } = withPasswordFile();
    const db = open(url);
    expect(await works(db)).toBe(true);
    await setPassword("another");

    expect(await refusalOf(db)).toBeInstanceOf(DatabaseUnavailable);
    const message = `Postgres cannot be used as the user ${user}: password authentication failed for user "${user}"`;
    expect(conditions()).toEqual([{ name: "postgres-login", message }]);
    await expect(migrate({ url, schema, sources: [], log: telemetry.log })).rejects.toThrow(DatabaseUnavailable);

    write("another");
    expect(await works(db)).toBe(true);
    expect(conditions()).toEqual([]);
    await migrate({ url, schema, sources: [], log: telemetry.log });
  });

  test("control: with the password in the URL, it stays refused", async () => {
    const db = open();
    await setPassword("another");
    expect(await refusalOf(db)).toBeInstanceOf(DatabaseUnavailable);
    expect(conditions()).toMatchObject([{ name: "postgres-login" }]);
  });

  test("whose file is gone is named, and the connection is closed", async () => {
    const url = new URL(withPasswordFile().url);
    url.searchParams.set("passwordfile", "/nowhere/password");
    const db = open(url.href);
    await expect(db.read(statement`select 1`)).rejects.toThrow(DatabaseUnavailable);
    const message = `Postgres cannot be used as the user ${user}: the file /nowhere/password cannot be read: ENOENT`;
    expect(conditions()).toEqual([{ name: "postgres-login", message }]);
  });
});

describe("the database is unavailable, with a condition,", () => {
  const pathTo = (pathname: string) => Object.assign(new URL(database.ownerUrl), { pathname }).href;

  test.each([
    ["of another name", async () => pathTo("/nowhere"), 'database "nowhere" does not exist'],
    ["without a right to connect", revoke, "permission denied for database"],
    ["whose role may not log in", noLogin, "is not permitted to log in"],
    ["without a password", async () => withoutPassword(), "SASL"],
    ["whose URL names a setting that does not exist", async () => `${database.ownerUrl}?options=-c%20x=1`, "x"],
  ])("%s", async (_what, change, reason) => {
    const db = open(await change());
    await expect(db.read(statement`select 1`)).rejects.toThrow(DatabaseUnavailable);
    expect(conditions()).toMatchObject([{ name: "postgres-login", message: expect.stringContaining(reason) }]);
  });

  async function revoke(): Promise<string> {
    await asSuperuser(`revoke connect on database ${nameOfDatabase()} from public, ${user}`);
    return database.ownerUrl;
  }

  async function noLogin(): Promise<string> {
    await asSuperuser(`alter role ${user} nologin`);
    return database.ownerUrl;
  }

  function withoutPassword(): string {
    return Object.assign(new URL(database.ownerUrl), { password: "" }).href;
  }
});

test("a program does not wait at its start for a server that refuses it", async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { log } = createTelemetry({ service: "test", level: "info", destination, processMetrics: false });
  await setPassword("another");
  await expect(migrate({ url: database.ownerUrl, schema, sources: [], log })).rejects.toThrow(DatabaseUnavailable);
  expect(lines).toEqual([]);
});

describe("a database whose sessions are set to be read-only", () => {
  const setReadOnly = (value: "on" | "off") =>
    asSuperuser(`alter database ${nameOfDatabase()} set default_transaction_read_only to ${value}`);
  const message = () => `${new URL(database.ownerUrl).host} accepts no writes, and is not used`;

  test("is left by a pool, also for reads, and named", async () => {
    const db = open();
    await db.assertWritable();
    await setReadOnly("on");
    await endSessions();
    await expect(db.read(statement`select 1`)).rejects.toMatchObject({ cause: { name: "ReadOnlyServer" } });
    await expect(db.assertWritable()).rejects.toThrow(DatabaseUnavailable);
    expect(conditions()).toEqual([{ name: "postgres-read-only", message: message() }]);

    await setReadOnly("off");
    expect(await works(db)).toBe(true);
    expect(conditions()).toEqual([]);
  });

  test("is left by a session that becomes so, with the statement after which it is known", async () => {
    const db = open();
    await execute(db, statement`set default_transaction_read_only to on`);
    expect(conditions()).toEqual([{ name: "postgres-read-only", message: message() }]);
    expect(await works(db)).toBe(true);
  });

  test("is asked for behind a pooler, which does not report it", async () => {
    await setReadOnly("on");
    const pooler = { directUrl: database.ownerUrl, keepsStatements: false };
    const { log, conditions: named } = telemetry;
    const db = openDatabase({ url: database.ownerUrl, pooler, schema, applicationName: "t", log, conditions: named });
    resources.push(() => db.close());
    expect(await works(db)).toBe(true); // the control: without the report, a read is answered
    await expect(db.assertWritable()).rejects.toThrow(DatabaseUnavailable);
    expect(conditions()).toEqual([{ name: "postgres-read-only", message: message() }]);
    await setReadOnly("off");
    await endSessions();
    await waitFor(() => db.assertWritable().then(() => true), DEADLINE);
    expect(conditions()).toEqual([]);
  });
});
