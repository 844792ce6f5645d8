import { join } from "node:path";
import { type NpmStart, npmStart, processesOf, serversOf, withoutProtections } from "@cloud/local-stack/npm-start";
import { testFolder, waitFor } from "@cloud/testkit";
import { calibrated, judgeTime, writeReport } from "@cloud/testkit/figures";
import { afterEach, describe, expect, test } from "@jest/globals";
import { controls, type Protection } from "./controls.ts";
import { measureEffect } from "./npm-start/link-effect.ts";
import { endAll, readDemo } from "./npm-start/running-starts.ts";
import { startWriter, type Writer } from "./npm-start/workspace-writer.ts";

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await endAll(folder);
});

async function start(removed: readonly Protection[] = []): Promise<{ folder: string; started: NpmStart }> {
  const folder = testFolder();
  folders.push(folder);
  const started = npmStart(folder, withoutProtections(removed.flatMap((name) => controls[name])));
  await started.ready();
  return { folder, started };
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** Kills Postgres; returns the milliseconds until a write is confirmed again. */
async function killPostgres(folder: string, signal: NodeJS.Signals, writer: Writer): Promise<number> {
  process.kill(serversOf(folder).postgres, signal);
  return writer.untilConfirmed(60_000);
}

async function untilRunsAgain({ output }: NpmStart, server: string, times: number): Promise<void> {
  const runs = () => countOf(output(), `${server} runs again`) >= times || undefined;
  await waitFor(runs, { deadlineMs: 20_000 });
}

describe("Postgres and nats-server killed under npm start", () => {
  test("each is reported with its log and restarted; the fourth end within a minute stops everything", async () => {
    const { folder, started } = await start();
    const demo = readDemo(folder);
    const writer = startWriter(demo);
    await writer.untilConfirmed(20_000);
    // 1. Postgres, crashed and shut down by another program: writes continue.
    const { backMs, factor } = await calibrated(async () => {
      const backMs = [await killPostgres(folder, "SIGKILL", writer)];
      await untilRunsAgain(started, "Postgres", 1);
      backMs.push(await killPostgres(folder, "SIGINT", writer));
      await untilRunsAgain(started, "Postgres", 2);
      return { backMs };
    });
    // 2. NATS: effects continue.
    const effectMs: number[] = [];
    for (const [index, signal] of (["SIGKILL", "SIGTERM"] as const).entries()) {
      process.kill(serversOf(folder).nats, signal);
      await untilRunsAgain(started, "nats-server", index + 1);
      effectMs.push(await measureEffect(demo, 15_000));
    }
    await writer.stop();
    const lost = await writer.lost();
    const logs = { postgres: join(folder, "postgres/postgres.log"), nats: join(folder, "nats/nats.log") };
    const lines = started.output().split("\n");
    expect(lines.filter((line) => line.includes("ended ("))).toEqual([
      `Postgres ended (SIGKILL): starting it again. Its log: ${logs.postgres}`,
      `Postgres ended (exit code 0): starting it again. Its log: ${logs.postgres}`,
      `nats-server ended (SIGKILL): starting it again. Its log: ${logs.nats}`,
      expect.stringMatching(/^nats-server ended \(exit code \d+\): starting it again\. Its log: /),
    ]);
    // 3. It keeps ending.
    process.kill(serversOf(folder).postgres, "SIGKILL");
    await untilRunsAgain(started, "Postgres", 3);
    const killedAt = performance.now();
    process.kill(serversOf(folder).postgres, "SIGKILL");
    const exitCode = await started.ended();
    const endedMs = Math.round(performance.now() - killedAt);

    const writes = { confirmed: writer.confirmed.length, failed: writer.failed(), lost: lost.length };
    writeReport({ what: "local-servers-die", promise: 22, writes, backMs, effectMs, exitCode, endedMs, factor });
    expect(lost).toEqual([]);
    expect(exitCode).toBe(1);
    expect(started.errors()).toBe(
      `npm start: Postgres ended (SIGKILL), after 3 new starts within a minute. Its log: ${logs.postgres}\n`,
    );
    expect(processesOf(folder)).toEqual([]);
    const slowest = Math.max(...backMs);
    judgeTime({ what: "local-servers-die: writes succeed again", measuredMs: slowest, limitMs: 10_000, factor });
  }, 240_000);

  test("control: unwatched, nothing is printed, and no write or effect succeeds", async () => {
    const { folder, started } = await start(["serversWatched"]);
    const demo = readDemo(folder);
    const servers = serversOf(folder);
    process.kill(servers.nats, "SIGKILL");
    const effect = await measureEffect(demo, 5_000).catch((error: Error) => error.message);
    const writer = startWriter(demo);
    process.kill(servers.postgres, "SIGKILL");
    const write = await writer.untilConfirmed(5_000).catch((error: Error) => error.message);
    await writer.stop();

    const reported = countOf(started.output(), "ended (");
    writeReport({ what: "local-servers-die-control", promise: 22, effect, write, reported });
    expect(effect).toContain("did not happen in 5000 ms");
    expect(write).toBe("no write was confirmed for 5000 ms");
    expect(reported).toBe(0);
    expect(started.child.exitCode).toBeNull();
  }, 60_000);

  test("control: without a limit a server that keeps ending is restarted indefinitely", async () => {
    const { folder, started } = await start(["startsLimited"]);
    const deaths = 5;
    for (let death = 1; death <= deaths; death += 1) {
      process.kill(serversOf(folder).nats, "SIGKILL");
      await untilRunsAgain(started, "nats-server", death);
    }
    writeReport({ what: "local-servers-die-no-limit-control", promise: 22, deaths, exitCode: started.child.exitCode });
    expect(started.child.exitCode).toBeNull();
  }, 60_000);
});
