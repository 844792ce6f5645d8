import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { currentTestRun, testFolder } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { startNats, startPostgres, stopLeftoverNats, stopLeftoverPostgres } from "../src/index.ts";

interface Pids {
  postgres: number;
  nats: number;
}

/** Leaves both servers of the folder as a killed program does when its watchdogs were killed too. */
async function leaveOrphans(folder: string): Promise<Pids> {
  const program = join(import.meta.dirname, "start-and-wait.ts");
  const child = spawn(process.execPath, [program, folder, "persistent", currentTestRun().natsServer], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  const { pids } = JSON.parse(output.toString()) as { pids: Pids };
  for (const pid of watchdogsOf(Object.values(pids))) process.kill(pid, "SIGKILL");
  child.kill("SIGKILL");
  await once(child, "exit");
  return pids;
}

function watchdogsOf(servers: readonly number[]): number[] {
  return readdirSync("/proc")
    .filter((pid) => servers.includes(Number(/server-watchdog\0(\d+)/.exec(commandOf(pid))?.[1])))
    .map(Number);
}

function commandOf(pid: string | number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

describe("servers that a killed program has left behind", () => {
  test("are shut down in an orderly way, with one line each", async () => {
    const folder = testFolder();
    const { postgres, nats } = await leaveOrphans(folder);
    expect([commandOf(postgres), commandOf(nats)]).not.toContain("");
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    for (let times = 0; times < 2; times += 1) {
      await stopLeftoverPostgres(join(folder, "postgres"), log);
      await stopLeftoverNats(join(folder, "nats"), log);
    }
    expect(lines).toEqual([
      `an earlier start left Postgres running (process ${postgres}): stopping it`,
      `an earlier start left nats-server running (process ${nats}): stopping it`,
    ]);
    expect([commandOf(postgres), commandOf(nats)]).toEqual(["", ""]);
    expect(readFileSync(join(folder, "postgres", "postgres.log"), "utf8")).toContain("database system is shut down");
  });

  test("are not found for an unused folder, and never include another folder's", async () => {
    const storeFolder = join(testFolder(), "store");
    const nats = await startNats({ binary: currentTestRun().natsServer, storeFolder });
    const lines: string[] = [];
    await stopLeftoverPostgres(join(testFolder(), "none"), (line) => lines.push(line));
    await stopLeftoverNats(join(testFolder(), "none"), (line) => lines.push(line));
    await stopLeftoverNats(testFolder(), (line) => lines.push(line));
    expect(lines).toEqual([]);
    await nats.stop();
  });
});

describe("two servers never share a folder", () => {
  test("a second nats-server is refused, even by another name of the folder", async () => {
    const storeFolder = join(testFolder(), "store");
    const binary = currentTestRun().natsServer;
    const nats = await startNats({ binary, storeFolder });
    const byLink = join(testFolder(), "link");
    symlinkSync(storeFolder, byLink);
    await expect(startNats({ binary, storeFolder: byLink })).rejects.toMatchObject({
      fault: "FOLDER_IN_USE",
      message: expect.stringContaining(`process ${nats.pid}`),
    });
    await nats.stop();
  });

  test("a frozen backend of a killed Postgres, which would prevent a new one from starting, is ended first", async () => {
    const folder = testFolder();
    const killed = await startPostgres({ folder, persistent: true });
    const client = new pg.Client({ connectionString: killed.superuserUrl });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const backend = rows[0]?.pid ?? 0;
    process.kill(backend, "SIGSTOP");
    process.kill(killed.pid, "SIGKILL");
    await killed.stop();
    try {
      const again = await startPostgres({ folder, persistent: true });
      expect(commandOf(backend)).toBe("");
      await again.stop();
    } finally {
      if (commandOf(backend) !== "") process.kill(backend, "SIGKILL");
      await client.end();
    }
  });
});
