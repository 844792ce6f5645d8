import net from "node:net";
import { createTestDatabase, execute, type TestDatabase, testTelemetry, waitFor } from "@cloud/testkit";
import { startFaultProxy } from "@cloud/testkit/faults";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DatabaseUnavailable } from "../src/database-errors.ts";
import { type Database, type DatabaseOptions, openDatabase } from "../src/open-database.ts";
import { sql, statement } from "../src/statement.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";

let database: TestDatabase;
let db: Database;
let killer: Database;

const open = (extra: Partial<DatabaseOptions> = {}) =>
  openDatabase({ url: database.ownerUrl, schema: "test", applicationName: "test", log: testTelemetry().log, ...extra });

beforeAll(async () => {
  database = await createTestDatabase("test");
  db = open();
  killer = open({ applicationName: "killer" });
  await execute(db, statement`create table notes (id integer primary key)`);
});

afterAll(async () => {
  await db.close();
  await killer.close();
  await database.drop();
});

/** Terminates every connection of `db`, as a restart of the server would. Returns once they are closed. */
async function terminate() {
  // Connections to this database only: other test files use the same server.
  const all = sql`from pg_stat_activity where application_name = 'test' and datname = current_database()`;
  await killer.read(statement`select pg_terminate_backend(pid) ${all}`);
  await waitFor(async () => ((await killer.read(statement`select ${all}`)).rowCount === 0 ? true : undefined), {
    deadlineMs: 30_000,
  });
}

describe("a connection that the server closes", () => {
  test("while idle, is replaced without an error", async () => {
    await db.read(statement`select 1`);
    await terminate();
    await waitFor(async () => (await db.read(statement`select 1`)).rows[0], { deadlineMs: 30_000 });
  });

  test("during a transaction, is reported as DatabaseUnavailable and not reused", async () => {
    const running = db.transaction(async (tx) => {
      await tx.query(statement`
        insert into notes
        values (1)`);
      await terminate();
      await tx.query(statement`
        insert into notes
        values (2)`);
    });
    await expect(running).rejects.toMatchObject({ name: "DatabaseUnavailable", timedOut: false });
    expect(
      (
        await db.read(statement`
          select
          from notes`)
      ).rowCount,
    ).toBe(0);
  });

  test("while a statement runs, is reported as DatabaseUnavailable", async () => {
    const sleeping = expect(db.read(statement`select pg_sleep(4)`)).rejects.toBeInstanceOf(DatabaseUnavailable);
    await waitFor(
      async () =>
        (
          await killer.read(
            statement`
              select
              from pg_stat_activity
              where wait_event = 'PgSleep' and datname = current_database()`,
          )
        ).rowCount || undefined,
      { deadlineMs: 30_000 },
    );
    await terminate();
    await sleeping;
  });

  test("between COMMIT and its confirmation, is not retried: the transaction took effect", async () => {
    const proxy = await startCuttingProxy(database.ownerUrl, "commit\0");
    const proxied = open({ url: proxy.url, applicationName: "proxied" });
    let runs = 0;
    const running = proxied.transaction(async (tx) => {
      runs++;
      await tx.query(statement`
        insert into notes
        values (7)`);
    });
    await expect(running).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(runs).toBe(1);
    await waitFor(
      async () =>
        (
          await db.read(statement`
            select
            from notes
            where id = 7`)
        ).rowCount || undefined,
      {
        deadlineMs: 30_000,
      },
    );
    await proxied.close();
    await proxy.stop();
  });
});

describe("a time limit", () => {
  test("on a statement", async () => {
    const impatient = open({ statementTimeoutMs: 100 });
    await expect(impatient.read(statement`select pg_sleep(4)`)).rejects.toMatchObject({ timedOut: true });
    await impatient.close();
  });

  test("on the wait for a free connection", async () => {
    const small = open({ maxConnections: 1, connectTimeoutMs: 100 });
    // The limit is also that of connecting, which may take longer.
    await waitFor(() => small.read(statement`select 1`), { deadlineMs: 30_000 });
    await small.transaction(async () => {
      await expect(small.read(statement`select 1`)).rejects.toMatchObject({
        name: "DatabaseUnavailable",
        timedOut: true,
      });
    });
    await small.close();
  });

  test("on a server that accepts connections and does not respond", async () => {
    const silent = net.createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as net.AddressInfo;
    const deaf = open({ url: `postgres://x@127.0.0.1:${port}/x`, connectTimeoutMs: 100 });
    await expect(deaf.read(statement`select 1`)).rejects.toMatchObject({ name: "DatabaseUnavailable", timedOut: true });
    await deaf.close();
    silent.close();
  });
});

describe("a server that stops responding", () => {
  const startProxy = async () => {
    const { hostname, port } = new URL(database.ownerUrl);
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) });
    const url = new URL(database.ownerUrl);
    url.host = `${proxy.host}:${proxy.port}`;
    return { proxy, url: url.href };
  };

  test("is detected by the client, whose connection is not reused", async () => {
    const { proxy, url } = await startProxy();
    const proxied = open({ url, statementTimeoutMs: 2_000 });
    await proxied.read(statement`select 1`);
    proxy.blackHole();
    const silent = { name: "DatabaseUnavailable", timedOut: true };
    await expect(proxied.read(statement`select 1`)).rejects.toMatchObject(silent);
    proxy.heal();
    expect((await proxied.read(statement`select 1`)).rowCount).toBe(1);
    await proxied.close();
    await proxy.stop();
  });

  test("does not delay the close of a pool", async () => {
    const { proxy, url } = await startProxy();
    const proxied = open({ url });
    await proxied.read(statement`select 1`);
    proxy.blackHole();
    await proxied.close();
    await proxy.stop();
  });
});

test("while a thousand callers wait for a connection, the next one is refused at once", async () => {
  const small = open({ maxConnections: 1, connectTimeoutMs: 5000 });
  await small.transaction(async () => {
    const waiting = Promise.allSettled(Array.from({ length: 1000 }, () => small.read(statement`select 1`)));
    const one = small.read(statement`select 1`);
    await expect(one).rejects.toMatchObject({ name: "DatabaseUnavailable", timedOut: true });
    void waiting;
  });
  await small.close();
});

test("an unreachable server is reported as DatabaseUnavailable", async () => {
  const absent = open({ url: "postgres://x@127.0.0.1:1/x" });
  await expect(absent.read(statement`select 1`)).rejects.toMatchObject({
    name: "DatabaseUnavailable",
    timedOut: false,
  });
  await absent.close();
});
