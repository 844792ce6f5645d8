import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { testFolder } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { createDatabase, LocalServerError, startPostgres, takeFreePort } from "../src/index.ts";

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows[0]?.["answer"];
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
    await ask(first.superuserUrl, "CREATE TABLE kept AS SELECT 42 AS answer");
    expect(await ask(first.superuserUrl, "SELECT current_setting('fsync') AS answer")).toBe("on");
    expect(await ask(first.superuserUrl, "SELECT current_setting('listen_addresses') AS answer")).toBe("127.0.0.1");
    await first.stop();
    await first.stop();

    const second = await startPostgres({ folder, persistent: true });
    expect(await ask(second.superuserUrl, "SELECT answer FROM kept")).toBe(42);
    await second.stop();
  });

  test("deletes a folder that is not to be kept", async () => {
    const folder = join(testFolder(), "postgres");
    const postgres = await startPostgres({ folder, persistent: false });
    expect(await ask(postgres.superuserUrl, "SELECT current_setting('fsync') AS answer")).toBe("off");
    await postgres.stop();
    expect(existsSync(folder)).toBe(false);
  });

  test("recovers from a killed server, also when its process id belongs to another program now", async () => {
    const folder = testFolder();
    const lock = join(folder, "cluster", "postmaster.pid");
    const killed = await startPostgres({ folder, persistent: true });
    process.kill(killed.pid, "SIGKILL");
    await killed.stop();
    const foreign = readFileSync(lock, "utf8").replace(/^\d+/, String(process.pid));
    writeFileSync(lock, foreign);

    const again = await startPostgres({ folder, persistent: true });
    expect(await ask(again.superuserUrl, "SELECT 1 AS answer")).toBe(1);
    await again.stop();
  });

  test("makes the database anew after an interrupted first start", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, "cluster.unfinished"));
    writeFileSync(join(folder, "cluster.unfinished", "half"), "");
    const postgres = await startPostgres({ folder, persistent: true });
    expect(await ask(postgres.superuserUrl, "SELECT 1 AS answer")).toBe(1);
    await postgres.stop();
  });
});

describe("startPostgres says in one line", () => {
  test("which port is in use", async () => {
    const port = await takeFreePort();
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

  test("that the folder is no folder", async () => {
    const file = join(testFolder(), "file");
    writeFileSync(file, "");
    expect((await faultOf(startPostgres({ folder: file, persistent: true }))).fault).toBe("BROKEN_FOLDER");
  });
});

describe("createDatabase", () => {
  test("gives each role its schema only, and may be called again", async () => {
    const postgres = await startPostgres({ folder: join(testFolder(), "postgres"), persistent: false });
    const owners = ["one", "two"].map((name) => ({ role: `shop_${name}`, password: "p'w", schema: name }));
    await createDatabase(postgres.superuserUrl, "shop", owners);
    const [one = "", two = ""] = await createDatabase(postgres.superuserUrl, "shop", owners);
    await ask(one, "CREATE TABLE things AS SELECT 1 AS answer");

    expect(await ask(one, "SELECT answer FROM one.things")).toBe(1);
    await expect(ask(two, "SELECT answer FROM one.things")).rejects.toThrow("permission denied for schema one");
    await expect(ask(two, "CREATE SCHEMA three")).rejects.toThrow("permission denied");
    await expect(ask(two, "CREATE TABLE public.things (id int)")).rejects.toThrow('"public" does not exist');
    await postgres.stop();
  });
});
