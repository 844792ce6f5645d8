import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { testFolder } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createDatabase, LocalServerError, startPostgres, takeStablePort } from "../src/index.ts";

async function queryValue(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows[0]?.["value"];
  } finally {
    await client.end();
  }
}

async function faultOf(attempt: Promise<unknown>): Promise<LocalServerError> {
  const error = await attempt.then(() => undefined).catch((thrown: unknown) => thrown);
  if (!(error instanceof LocalServerError)) throw new Error(`no LocalServerError but ${String(error)}`);
  expect(error.message).not.toContain("\n");
  return error;
}

describe("startPostgres", () => {
  test("keeps a persistent folder, writes to the disk and listens on this machine only", async () => {
    const folder = testFolder();
    const first = await startPostgres({ folder, persistent: true });
    await queryValue(first.superuserUrl, "CREATE TABLE kept AS SELECT 42 AS value");
    expect(await queryValue(first.superuserUrl, "SELECT current_setting('fsync') AS value")).toBe("on");
    expect(await queryValue(first.superuserUrl, "SELECT current_setting('listen_addresses') AS value")).toBe(
      "127.0.0.1",
    );
    await first.stop();
    await first.stop();

    const second = await startPostgres({ folder, persistent: true });
    expect(await queryValue(second.superuserUrl, "SELECT value FROM kept")).toBe(42);
    await second.stop();
  });

  test("keeps the log of an earlier run", async () => {
    const folder = testFolder();
    for (let life = 1; life <= 2; life += 1) await (await startPostgres({ folder, persistent: true })).stop();
    const log = readFileSync(join(folder, "postgres.log"), "utf8");
    expect(log.match(/database system is shut down/g)).toHaveLength(2);
  });

  test("gives up creating a database, and leaves no partial one", async () => {
    const folder = testFolder();
    const error = await faultOf(startPostgres({ folder, persistent: true, signal: AbortSignal.timeout(50) }));
    expect(error.fault).toBe("START_FAILED");
    expect(existsSync(join(folder, "cluster"))).toBe(false);
  });

  test("deletes a folder that is not to be kept", async () => {
    const folder = join(testFolder(), "postgres");
    const postgres = await startPostgres({ folder, persistent: false });
    expect(await queryValue(postgres.superuserUrl, "SELECT current_setting('fsync') AS value")).toBe("off");
    await postgres.stop();
    expect(existsSync(folder)).toBe(false);
  });

  test("recovers from a killed server, even if its process id now belongs to another program", async () => {
    const folder = testFolder();
    const lock = join(folder, "cluster", "postmaster.pid");
    const killed = await startPostgres({ folder, persistent: true });
    process.kill(killed.pid, "SIGKILL");
    await killed.stop();
    const foreign = readFileSync(lock, "utf8").replace(/^\d+/, String(process.pid));
    writeFileSync(lock, foreign);

    const again = await startPostgres({ folder, persistent: true });
    expect(await queryValue(again.superuserUrl, "SELECT 1 AS value")).toBe(1);
    await again.stop();
  });

  test("creates the database again after an interrupted first start", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, "cluster.unfinished"));
    writeFileSync(join(folder, "cluster.unfinished", "half"), "");
    const postgres = await startPostgres({ folder, persistent: true });
    expect(await queryValue(postgres.superuserUrl, "SELECT 1 AS value")).toBe(1);
    await postgres.stop();
  });
});

describe("startPostgres reports in one line", () => {
  test("which port is in use", async () => {
    const port = await takeStablePort();
    const other = createServer().listen(port, "127.0.0.1").unref();
    const error = await faultOf(startPostgres({ folder: testFolder(), port, persistent: true }));
    expect(error.fault).toBe("PORT_IN_USE");
    expect(error.message).toContain(`127.0.0.1:${port}`);
    other.close();
  });

  test("which folder is broken, and to delete it", async () => {
    const folder = testFolder();
    const postgres = await startPostgres({ folder, persistent: true });
    await postgres.stop();
    rmSync(join(folder, "cluster", "global"), { recursive: true });
    const error = await faultOf(startPostgres({ folder, persistent: true }));
    expect(error.fault).toBe("BROKEN_FOLDER");
    expect(error.message).toContain(folder);
    expect(error.message).toContain("Delete");
  });

  test("that waiting for it was given up, without advising to delete the data", async () => {
    const folder = testFolder();
    const { stop } = await startPostgres({ folder, persistent: true });
    await stop();
    const error = await faultOf(startPostgres({ folder, persistent: true, signal: AbortSignal.abort() }));
    expect(error.fault).toBe("START_FAILED");
    expect(error.message).toMatch(/does not accept connections yet\. Its log: .*postgres\.log$/);
    expect(error.message).not.toContain("elete");
  });

  test("that the folder is not a folder", async () => {
    const file = join(testFolder(), "file");
    writeFileSync(file, "");
    expect((await faultOf(startPostgres({ folder: file, persistent: true }))).fault).toBe("BROKEN_FOLDER");
  });
});

describe("createDatabase", () => {
  test("gives each owner its schema only and the other roles nothing, and may be called again", async () => {
    const postgres = await startPostgres({ folder: join(testFolder(), "postgres"), persistent: false });
    const roles = [
      { role: "shop_one", schema: "one" },
      { role: "shop_two", schema: "two" },
    ] as const;
    const before = await createDatabase(postgres.superuserUrl, "shop", roles);
    const [{ ownerUrl: one, url: program }, { ownerUrl: two }] = await createDatabase(
      postgres.superuserUrl,
      "shop",
      roles,
    );
    await expect(queryValue(before[0].url, "SELECT 1")).rejects.toThrow("password authentication failed");
    await queryValue(one, "CREATE TABLE things AS SELECT 1 AS value");

    expect(await queryValue(one, "SELECT value FROM one.things")).toBe(1);
    await expect(queryValue(two, "SELECT value FROM one.things")).rejects.toThrow("permission denied for schema one");
    await expect(queryValue(two, "CREATE SCHEMA three")).rejects.toThrow("permission denied");
    await expect(queryValue(two, "CREATE TABLE public.things (id int)")).rejects.toThrow('"public" does not exist');
    for (const sql of [
      "SELECT value FROM one.things",
      "CREATE TABLE one.more (id int)",
      "CREATE TEMP TABLE more (id int)",
    ])
      await expect(queryValue(program, sql)).rejects.toThrow("permission denied");
    await postgres.stop();
  });

  test("hands what a program's role owns to the owner of its schema", async () => {
    const postgres = await startPostgres({ folder: join(testFolder(), "postgres"), persistent: false });
    const roles = [{ role: "shop", schema: "shop" }] as const;
    await createDatabase(postgres.superuserUrl, "shop", roles);
    const { href } = Object.assign(new URL(postgres.superuserUrl), { pathname: "shop" });
    await queryValue(href, "ALTER SCHEMA shop OWNER TO shop");
    await queryValue(href, "CREATE TABLE shop.things AS SELECT 1 AS value");
    await queryValue(href, "ALTER TABLE shop.things OWNER TO shop");
    const [{ url, ownerUrl }] = await createDatabase(postgres.superuserUrl, "shop", roles);
    expect(await queryValue(ownerUrl, "SELECT value FROM things")).toBe(1);
    await expect(queryValue(url, "SELECT value FROM shop.things")).rejects.toThrow("permission denied");
    await postgres.stop();
  });
});
