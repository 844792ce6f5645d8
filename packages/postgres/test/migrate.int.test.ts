import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTestDatabase, type TestDatabase, testTelemetry, waitFor } from "@cloud/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { migrate } from "../src/migrations/migrate.ts";

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase("test");
  folder = await mkdtemp(path.join(tmpdir(), "migrations-"));
  await write("0001_notes.sql", "create table notes (id integer); insert into notes values (1);");
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const write = (file: string, sql: string) => writeFile(path.join(folder, file), sql);
const run = (schema = "test", url = database.ownerUrl) =>
  migrate({ url, schema, sources: [{ folder, name: "notes" }], log: testTelemetry().log });

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.ownerUrl, options: "-c search_path=test" });
  await client.connect();
  return client;
}

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = await connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

test("8 concurrent runs apply each migration once", async () => {
  await Promise.all(Array.from({ length: 8 }, () => run()));
  expect(await query("select id from notes")).toEqual([{ id: 1 }]);
  expect(await query("select source, name from schema_migrations")).toEqual([
    { source: "notes", name: "0001_notes.sql" },
  ]);
});

test("control: without the lock, the second of two concurrent runs fails even with IF NOT EXISTS", async () => {
  const create = "create table if not exists notes (id integer)";
  const [first, second] = await Promise.all([connect(), connect()]);
  await first.query("begin");
  await first.query(create);
  const outcome = second.query(create).then(
    () => "created",
    (error: { code?: string }) => error.code,
  );
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await waitFor(async () => (await first.query(waiting)).rowCount || undefined, { deadlineMs: 30_000 });
  await first.query("commit");
  expect(await outcome).toBe("23505");
  await Promise.all([first.end(), second.end()]);
});

test("applies only new migrations, and ignores unknown ones", async () => {
  await run();
  await query("insert into schema_migrations values ('notes', '0009_newer.sql')");
  await write("0002_more.sql", "insert into notes values (2)");
  await run();
  expect(await query("select id from notes order by id")).toEqual([{ id: 1 }, { id: 2 }]);
});

test("a migration that fails is rolled back and named", async () => {
  await write("0002_bad.sql", "create table half (id integer); select 1/0;");
  await expect(run()).rejects.toThrow("migration notes/0002_bad.sql failed");
  expect(await query("select to_regclass('half') as half")).toEqual([{ half: null }]);
});

describe("the file of an applied migration", () => {
  const digest = (text: string) => createHash("sha256").update(text).digest("hex");
  const original = "create table notes (id integer); insert into notes values (1);";
  const checksums = () => query("select name, checksum from schema_migrations order by name");

  test("must not change", async () => {
    await run();
    const changed = "create table notes (id bigint);";
    await write("0001_notes.sql", changed);
    await expect(run()).rejects.toThrow(
      `migration notes/0001_notes.sql was changed after it was applied (SHA-256 ${digest(original)} then, ` +
        `${digest(changed)} now): restore the file, and make the change in a new migration`,
    );
    await write("0001_notes.sql", original);
    await run();
  });

  test("is checked before any later migration is applied", async () => {
    await run();
    await write("0001_notes.sql", "");
    await write("0002_more.sql", "insert into notes values (2)");
    await expect(run()).rejects.toThrow("was changed after it was applied");
    expect(await query("select id from notes")).toEqual([{ id: 1 }]);
  });

  test("gets its checksum at the next start when a release without checksums applied it", async () => {
    await run();
    await query("alter table schema_migrations drop column checksum");
    await run();
    expect(await checksums()).toEqual([{ name: "0001_notes.sql", checksum: digest(original) }]);
    await write("0002_more.sql", "");
    // As that release would, concurrently with this one.
    await query("insert into schema_migrations (source, name) values ('notes', '0002_more.sql')");
    await run();
    expect(await checksums()).toContainEqual({ name: "0002_more.sql", checksum: digest("") });
  });
});

test("creates a missing schema, if the role has the permission", async () => {
  await run("fresh", database.superuserUrl);
  await expect(run("forbidden")).rejects.toMatchObject({ code: "42501" });
});

test("refuses a file that is not named NNNN_name.sql, and a duplicate number", async () => {
  await write("2-other.sql", "");
  await expect(run()).rejects.toThrow("a migration is named NNNN_name.sql");
  await rm(path.join(folder, "2-other.sql"));
  await write("0001_again.sql", "");
  await expect(run()).rejects.toThrow("two migrations have the number 0001");
});

describe("a migration `-- concurrently`", () => {
  const create = "-- concurrently: why\ncreate index concurrently if not exists notes_by_id on notes (id);\n";
  const isValid = () => query("select indisvalid from pg_index where indexrelid = to_regclass('notes_by_id')");

  test("creates its indexes while a transaction writes to the table, and waits for none but that", async () => {
    await run();
    await write("0002_index.sql", create);
    const writer = await connect();
    await writer.query("begin");
    await writer.query("insert into notes values (2)");
    const migrated = Promise.all([run(), run(), run()]); // two wait for the lock: a waiting statement would deadlock
    await waitFor(async () => ((await isValid()).length === 1 ? true : undefined), { deadlineMs: 30_000 });
    await query("insert into notes values (3)");
    await writer.query("commit");
    await writer.end();
    await migrated;
    expect(await isValid()).toEqual([{ indisvalid: true }]);
  });

  test("replaces an index that an interruption left invalid", async () => {
    await run();
    await query("insert into notes values (1)");
    await expect(query("create unique index concurrently notes_by_id on notes (id)")).rejects.toThrow("unique");
    expect(await isValid()).toEqual([{ indisvalid: false }]);
    await write("0002_index.sql", create);
    await run();
    expect(await isValid()).toEqual([{ indisvalid: true }]);
  });

  test("runs in a transaction in a new schema", async () => {
    await write("0002_index.sql", create);
    await run();
    expect(await isValid()).toEqual([{ indisvalid: true }]);
  });
});

describe("a migration `-- from a snapshot`", () => {
  const count = `
    create table if not exists changes (change integer);
    create or replace function count_notes() returns trigger language plpgsql as $$
      begin insert into changes select count(*) from new_rows; return null; end $$;
    lock table notes in share row exclusive mode;
    create or replace trigger notes_count after insert on notes referencing new table as new_rows
      for each statement execute function count_notes();
    delete from changes;
    -- from a snapshot: why
    select pg_advisory_lock(7);
    insert into changes select count(*) from notes;`.replaceAll(/^ +/gm, "");

  test("reads the moment of its locks, while others write", async () => {
    await run();
    await write("0002_count.sql", count);
    const other = await connect();
    await other.query("select pg_advisory_lock(7)");
    await other.query("begin");
    await other.query("insert into notes values (2)");
    const migrated = run();
    const waits = (kind: string) => async () => {
      const { rowCount } = await other.query("select from pg_locks where locktype = $1 and not granted", [kind]);
      return rowCount === 0 ? undefined : true;
    };
    // It waits for the writer in the middle of a transaction, whose row it counts, and not for the later one.
    await waitFor(waits("relation"), { deadlineMs: 30_000 });
    await other.query("commit");
    await waitFor(waits("advisory"), { deadlineMs: 30_000 });
    await query("insert into notes values (3), (4)");
    await other.query("select pg_advisory_unlock(7)");
    await migrated;
    await other.end();
    expect(await query("select change from changes order by change")).toEqual([{ change: 2 }, { change: 2 }]);
  });

  test("runs both parts again after the second one failed", async () => {
    await run();
    await write("0002_count.sql", count + "select 1 / (select count(*) - 1 from notes);");
    await expect(run()).rejects.toThrow("0002_count.sql failed");
    await query("insert into notes values (2)");
    await run();
    expect(await query("select change from changes")).toEqual([{ change: 2 }]);
  });
});
