import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import type { ProgramRights } from "../src/migrations/grant-rights.ts";
import { migrate } from "../src/migrations/migrate.ts";
import { requireMigrated } from "../src/migrations/read-migrations.ts";

let database: TestDatabase;
let folder: string;
const clients = new Map<string, pg.Client>();

const SOURCE = "notes";
const FIRST =
  "create table notes (id integer); create table log (id integer); create table kinds (id integer); " +
  "create sequence numbers; insert into notes values (1); insert into log values (1); insert into kinds values (1);";

beforeEach(async () => {
  database = await createTestDatabase("test");
  folder = await mkdtemp(path.join(tmpdir(), "migrations-"));
  await write("0001_notes.sql", FIRST);
});

afterEach(async () => {
  for (const client of clients.values()) await client.end();
  clients.clear();
  await database.drop();
  await rm(folder, { recursive: true });
});

const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
const roleOf = (url: string) => new URL(url).username;
const common = () => ({ schema: "test", sources: [{ folder, name: SOURCE }], log: testTelemetry().log });

async function run(rights: Partial<ProgramRights> = {}): Promise<void> {
  const role = roleOf(database.url);
  const all = { role, appendOnly: ["log"], readOnly: ["kinds"], ...rights };
  await migrate({ ...common(), url: database.ownerUrl, rights: all });
}

/** Returns "done", or why the statement was refused. A URL keeps its connection until the end of the test. */
async function as(url: string, statement: string): Promise<string> {
  const client = clients.get(url) ?? new pg.Client({ connectionString: url });
  if (!clients.has(url)) await client.connect();
  clients.set(url, client);
  try {
    await client.query(statement);
    return "done";
  } catch (error) {
    await client.query("rollback"); // of a statement that begins a transaction
    return (error as Error).message;
  }
}

describe("the program's role", () => {
  const MAY = [
    "insert into notes values (2)",
    "update notes set id = 2",
    "delete from notes",
    "select id from notes for update",
    "insert into log values (2)",
    "select id from log",
    "select id from kinds",
    "select nextval('numbers'), last_value from numbers",
    "select from schema_migrations",
    "listen channel",
    "select pg_advisory_lock(1)",
  ];
  const MAY_NOT: Readonly<Record<string, string>> = {
    "truncate notes": "permission denied for table notes",
    "drop table notes": "must be owner of table notes",
    "alter table notes add column text text": "must be owner of table notes",
    "create index on notes (id)": "must be owner of table notes",
    "create table more (id integer)": "permission denied for schema test",
    "create temporary table more (id integer)": "permission denied to create temporary tables in database",
    "create schema other": "permission denied for database",
    "delete from log": "permission denied for table log",
    "update log set id = 2": "permission denied for table log",
    "truncate log": "permission denied for table log",
    "insert into kinds values (2)": "permission denied for table kinds",
    "delete from schema_migrations": "permission denied for table schema_migrations",
    "select setval('numbers', 1)": "permission denied for sequence numbers",
  };

  test("may do its work, and nothing else", async () => {
    await run();
    for (const statement of MAY) expect([statement, await as(database.url, statement)]).toEqual([statement, "done"]);
    for (const [statement, refusal] of Object.entries(MAY_NOT)) {
      expect([statement, await as(database.url, statement)]).toEqual([statement, expect.stringContaining(refusal)]);
      // Control: the owner may, so that it is the role that is refused.
      const byOwner = await as(database.ownerUrl, `begin; ${statement}; rollback`);
      expect([statement, byOwner]).toEqual([statement, expect.stringMatching(/^done|temporary|for database/)]);
    }
  });

  test("may use the tables of a later migration, once it is applied", async () => {
    await run();
    await write("0002_more.sql", "create table more (id integer)");
    await run();
    expect(await as(database.url, "insert into more values (1)")).toBe("done");
  });

  test("loses rights that it had and should not have, and keeps the others", async () => {
    await run({ appendOnly: [], readOnly: [] });
    expect(await as(database.url, "delete from log")).toBe("done");
    await run();
    expect(await as(database.url, "delete from log")).toBe("permission denied for table log");
    expect(await as(database.url, "insert into log values (1)")).toBe("done");
  });

  test("has a name that needs quotes, or does not exist", async () => {
    const role = 'a "b" c';
    expect(await as(database.superuserUrl, 'create role "a ""b"" c"')).toBe("done");
    await run({ role });
    expect(await as(database.superuserUrl, 'set role "a ""b"" c"; select id from test.log; reset role')).toBe("done");
    expect(await as(database.superuserUrl, 'drop owned by "a ""b"" c"; drop role "a ""b"" c"')).toBe("done");
    await expect(run({ role: "missing" })).rejects.toThrow('role "missing" does not exist');
  });
});

test("a log that does not exist is reported", async () => {
  await expect(run({ appendOnly: ["lag"] })).rejects.toThrow('relation "test.lag" does not exist');
});

test("8 concurrent runs grant the same rights", async () => {
  await Promise.all(Array.from({ length: 8 }, () => run()));
  expect(await as(database.url, "insert into log values (2)")).toBe("done");
  expect(await as(database.url, "delete from log")).toBe("permission denied for table log");
});

test("tables that belong to another role are reported, with the remedy", async () => {
  await run();
  expect(await as(database.superuserUrl, `alter table test.notes owner to ${roleOf(database.url)}`)).toBe("done");
  const [program, owner] = [roleOf(database.url), roleOf(database.ownerUrl)];
  await expect(run()).rejects.toThrow(
    `the tables of the schema test belong to the role ${program}, and migrations run as ${owner}: ` +
      `as a superuser, run "reassign owned by ${program} to ${owner}" in this database`,
  );
  expect(await as(database.superuserUrl, `reassign owned by ${program} to ${owner}`)).toBe("done");
  await run();
});

describe("a program that does not migrate", () => {
  const check = () => requireMigrated({ ...common(), url: database.url });
  const older = (missing: string) =>
    `the schema test is older than this release: it lacks ${missing}. Migrate it first, as its owner: MIGRATE=only`;

  test("starts on a schema of its release, or of a newer one", async () => {
    await run();
    await check();
    await write("0002_more.sql", "create table more (id integer)");
    await run();
    await rm(path.join(folder, "0002_more.sql"));
    await check();
  });

  test("refuses one that was never migrated, that it may not see, and an older one", async () => {
    await expect(check()).rejects.toThrow(older("notes/0001_notes.sql"));
    await migrate({ ...common(), url: database.ownerUrl });
    await expect(check()).rejects.toThrow(older("notes/0001_notes.sql"));
    await run();
    await write("0002_more.sql", "create table more (id integer)");
    await expect(check()).rejects.toThrow(older("notes/0002_more.sql"));
  });

  test("refuses one whose migration was changed since", async () => {
    await run();
    await write("0001_notes.sql", `${FIRST} -- and more`);
    await expect(check()).rejects.toThrow("migration notes/0001_notes.sql was changed after it was applied");
  });
});
