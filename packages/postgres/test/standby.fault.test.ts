import { mkdtempSync, writeFileSync } from "node:fs";
import { chown, stat } from "node:fs/promises";
import path from "node:path";
import { currentTestRun, execute, testTelemetry, waitFor } from "@cloud/testkit";
import { type RestartablePostgres, startRestartablePostgres } from "@cloud/testkit/faults";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import pg from "pg";
import { DatabaseUnavailable } from "../src/database-errors.ts";
import { type Database, openDatabase } from "../src/open-database.ts";
import { statement } from "../src/statement.ts";

const DEADLINE = { deadlineMs: 30_000 };
const telemetry = testTelemetry();
const { log, conditions } = telemetry;
let server: RestartablePostgres;
let db: Database;

beforeEach(async () => {
  const folder = mkdtempSync(path.join(currentTestRun().folder, "postgres-"));
  server = await startRestartablePostgres({ folder });
  db = openDatabase({ url: server.superuserUrl, schema: "public", applicationName: "test", log, conditions });
  await execute(db, statement`create table tokens (id integer primary key)`);
  await execute(
    db,
    statement`
    insert into tokens
    values (1)`,
  );
  // The same server comes back as a standby whose primary it cannot reach: what it shows is as old as that.
  await server.stopImmediately();
  const signal = path.join(folder, "cluster", "standby.signal");
  writeFileSync(signal, "");
  const { uid, gid } = await stat(path.dirname(signal));
  await chown(signal, uid, gid);
  await server.start();
});

afterEach(async () => {
  await db.close();
  await server.stop();
});

const tokens = statement`
  select id
  from tokens`;

test("a standby is read by none, and named, until it is promoted", async () => {
  await expect(db.read(tokens)).rejects.toMatchObject({ cause: { name: "ReadOnlyServer" } });
  await expect(db.assertWritable()).rejects.toThrow(DatabaseUnavailable);
  const message = `127.0.0.1:${server.port} accepts no writes, and is not used`;
  expect(conditions.list()).toEqual([{ name: "postgres-read-only", message }]);

  await asOther("select pg_promote()");
  expect(await waitFor(() => db.read(tokens), DEADLINE)).toMatchObject({ rows: [{ id: 1 }] });
  expect(conditions.list()).toEqual([]);
});

test("control: another client reads from it what may have been revoked", async () => {
  expect(await asOther("select id from tokens")).toEqual([{ id: 1 }]);
});

async function asOther(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.superuserUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
