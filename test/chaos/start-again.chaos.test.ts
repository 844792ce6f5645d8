import { existsSync } from "node:fs";
import { join } from "node:path";
import { takeStablePort } from "@cloud/local-servers";
import { mainProcessOf, type NpmStart, npmStart, serversOf, withoutProtections } from "@cloud/local-stack/npm-start";
import { type RemovedProtection, testFolder, waitFor } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { afterEach, describe, expect, test } from "@jest/globals";
import { controls } from "./controls.ts";
import { killPoints } from "./npm-start/kill-points.ts";
import { countDemos, queryLocal } from "./npm-start/local-database.ts";
import { endAll, readDemo } from "./npm-start/running-starts.ts";

const BEGINS_AGAIN = "the first start did not finish: beginning again from empty data";

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await endAll(folder);
});

function newFolder(): string {
  const folder = testFolder();
  folders.push(folder);
  return folder;
}

/** Runs `npm start`, changed so that it kills itself at one place, until it is dead. */
async function startAndDie(folder: string, ...changes: RemovedProtection[]): Promise<NpmStart> {
  const started = npmStart(folder, withoutProtections(changes));
  await started.ended();
  expect(started.child.signalCode).toBe("SIGKILL");
  return started;
}

async function start(folder: string, env: Record<string, string> = {}, ...args: string[]): Promise<NpmStart> {
  const started = npmStart(folder, env, ...args);
  await started.ready();
  return started;
}

async function kill({ child, ended }: NpmStart): Promise<void> {
  child.kill("SIGKILL");
  await ended();
}

describe("a first start killed at its end", () => {
  test("starts over with empty data, but keeps them once demo.json is written", async () => {
    const folder = newFolder();
    await startAndDie(folder, killPoints.beforeDemoFile);
    const second = await startAndDie(folder, killPoints.beforeMarkDeleted);
    const demo = readDemo(folder);
    const third = await start(folder);
    const demos = await countDemos(folder);
    const kept = readDemo(folder).organizations;
    const saidOf = [second, third].map(({ output }) => output().includes(BEGINS_AGAIN));
    writeReport({ what: "start-again", promise: 28, demos, begunAgain: saidOf });
    expect(saidOf).toEqual([true, false]);
    expect(demos).toBe(1);
    expect(kept).toEqual(demo.organizations);
    expect(existsSync(join(folder, "first-start"))).toBe(false);
  }, 300_000);

  test("control: without the mark the demo is created twice", async () => {
    const folder = newFolder();
    await startAndDie(folder, killPoints.beforeDemoFile, ...controls.firstStartMarked);
    await start(folder, withoutProtections(controls.firstStartMarked));
    const demos = await countDemos(folder);
    writeReport({ what: "start-again-mark-control", promise: 28, demos });
    expect(demos).toBe(2);
  }, 300_000);

  test("control: by the mark alone the data of a finished start are deleted", async () => {
    const folder = newFolder();
    await startAndDie(folder, killPoints.beforeMarkDeleted);
    const demo = readDemo(folder);
    await start(folder, withoutProtections(controls.finishedByDemo));
    writeReport({ what: "start-again-finished-control", promise: 28, demos: await countDemos(folder) });
    expect(readDemo(folder).organizations).not.toEqual(demo.organizations);
  }, 300_000);
});

describe("data created under --no-demo", () => {
  /** Then a start that seeds is killed at its end, and another one follows. */
  async function isKept(removed: readonly RemovedProtection[]): Promise<boolean> {
    const folder = newFolder();
    const first = await start(folder, {}, "--no-demo");
    await queryLocal(folder, "create schema made_by_hand");
    await kill(first);
    await startAndDie(folder, killPoints.beforeDemoFile, ...removed);
    await start(folder, withoutProtections(removed));
    const schemas = await queryLocal(folder, "select 1 from pg_namespace where nspname = 'made_by_hand'");
    return schemas.length === 1;
  }

  test("survive a start that is killed while it seeds", async () => {
    const kept = await isKept([]);
    writeReport({ what: "start-again-no-demo", promise: 28, kept });
    expect(kept).toBe(true);
  }, 300_000);

  test("control: marked like a first start they are deleted", async () => {
    const kept = await isKept(controls.keptDataUnmarked);
    writeReport({ what: "start-again-no-demo-control", promise: 28, kept });
    expect(kept).toBe(false);
  }, 300_000);
});

describe("a start against its own orphaned servers, on fixed ports", () => {
  /** Kills everything but the two servers. */
  async function leaveOrphans(): Promise<{ folder: string; env: Record<string, string>; pids: number[] }> {
    const folder = newFolder();
    const env = { POSTGRES_PORT: String(await takeStablePort()), NATS_PORT: String(await takeStablePort()) };
    const first = await start(folder, env, "--no-demo");
    const { postgres, nats, watchdogs } = serversOf(folder);
    for (const pid of [...watchdogs, mainProcessOf(folder)]) process.kill(pid, "SIGKILL");
    await first.ended();
    await waitFor(() => serversOf(folder).watchdogs.length === 0 || undefined, { deadlineMs: 10_000 });
    expect(serversOf(folder)).toEqual({ postgres, nats, watchdogs: [] });
    return { folder, env, pids: [postgres, nats] };
  }

  test("stops them, with a line for each", async () => {
    const { folder, env, pids } = await leaveOrphans();
    const again = await start(folder, env, "--no-demo");
    expect(again.output().split("\n").slice(0, 2)).toEqual([
      `an earlier start left Postgres running (process ${pids[0]}): stopping it`,
      `an earlier start left nats-server running (process ${pids[1]}): stopping it`,
    ]);
    const { postgres, nats, watchdogs } = serversOf(folder);
    writeReport({ what: "start-again-orphans", promise: 28, stopped: pids.length });
    expect([postgres, nats]).not.toEqual(pids);
    expect(watchdogs).toHaveLength(2);
  }, 300_000);

  test("control: not stopped, they hold the ports", async () => {
    const { folder, env } = await leaveOrphans();
    const again = npmStart(folder, { ...env, ...withoutProtections(controls.leftoversStopped) }, "--no-demo");
    const exitCode = await again.ended();
    writeReport({ what: "start-again-orphans-control", promise: 28, exitCode });
    expect(exitCode).toBe(1);
    expect(again.errors()).toContain("another program is using it");
  }, 300_000);
});
