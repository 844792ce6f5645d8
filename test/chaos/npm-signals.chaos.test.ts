import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  mainProcessOf,
  type NpmStart,
  PROGRAM,
  ROOT,
  startByNpm,
  startOrphaned,
  withoutProtections,
} from "@cloud/local-stack/npm-start";
import { testFolder, waitFor, without } from "@cloud/testkit";
import { judgeTime, timed, writeReport } from "@cloud/testkit/figures";
import { afterEach, describe, expect, test } from "@jest/globals";
import { controls, type Protection } from "./controls.ts";
import { endAll, untilStopped } from "./npm-start/running-starts.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const;
/** The promised time until no process runs. */
const PROMISED_MS = 4_000;
/** The deadline of a wait: longer than any machine is judged by. */
const DEADLINE_MS = 5 * PROMISED_MS;

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await endAll(folder);
});

async function start(project = ROOT): Promise<{ folder: string; started: NpmStart }> {
  const folder = testFolder();
  folders.push(folder);
  const started = startByNpm(folder, project, "--no-demo");
  await started.ready();
  return { folder, started };
}

/** Sends a signal to `pid` (a process group if negative), and waits until no process of the folder runs. */
async function end(folder: string, pid: number, signal: NodeJS.Signals, deadlineMs = DEADLINE_MS): Promise<void> {
  process.kill(pid, signal);
  await untilStopped(folder, deadlineMs);
}

/** Creates a project whose `npm start` runs the same program in another way. */
function projectWith({ exec, removed }: { exec: string; removed: readonly Protection[] }): string {
  const folder = testFolder();
  const { preload, env } = without(removed.flatMap((name) => controls[name]));
  const settings = Object.entries(env).map(([name, value]) => `${name}='${value.replaceAll("'", `'\\''`)}'`);
  const imports = preload.map((module) => `--import='${module}'`);
  const start = [...settings, exec, `'${process.execPath}'`, ...imports, `'${PROGRAM}'`].join(" ");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "control", scripts: { start } }));
  return folder;
}

const postgresLog = (folder: string): string => readFileSync(join(folder, "postgres/postgres.log"), "utf8");

describe("signals to npm alone, started by another program", () => {
  const ended: Record<string, Awaited<ReturnType<typeof timed>>> = {};
  const judge = (what: string, measured: Awaited<ReturnType<typeof timed>>) => {
    ended[what] = measured;
    judgeTime({ what: `npm-signals: stopped by ${what}`, limitMs: PROMISED_MS, ...measured });
  };

  test.each(SIGNALS)(
    "%s stops the whole stack, cleanly",
    async (signal) => {
      const { folder, started } = await start();
      const stopped = await timed(() => end(folder, started.child.pid ?? 0, signal));
      await started.ended();
      expect(postgresLog(folder)).toContain("database system is shut down");
      expect(started.output()).toContain("stopping (Ctrl-C once more to force)");
      expect(started.output()).not.toContain("ended (");
      judge(signal, stopped);
    },
    60_000,
  );

  test("an npm that was killed before the program had begun stops the stack too", async () => {
    const folder = testFolder();
    folders.push(folder);
    const orphan = startOrphaned(folder, {});
    await orphan.ended();
    const stopped = await timed(() => untilStopped(folder, DEADLINE_MS));
    expect(orphan.errors()).toBe("");
    expect(orphan.output()).not.toContain("Everything runs");
    judge("SIGKILL before the program had begun", stopped);
  }, 60_000);

  test("Ctrl-C in a terminal, which reaches npm and the program, counts once", async () => {
    const { folder, started } = await start();
    const stopped = await timed(() => end(folder, -(started.child.pid ?? 0), "SIGINT"));
    await started.ended();
    expect(postgresLog(folder)).toContain("database system is shut down");
    writeReport({ what: "npm-signals", promise: 23, ended: { ...ended, "Ctrl-C": stopped } });
    judge("Ctrl-C", stopped);
  }, 60_000);

  test("control: behind a shell SIGINT has no effect, and unwatched SIGKILL leaves the stack running", async () => {
    const behindShell = await start(projectWith({ exec: "", removed: [] }));
    const { pid: shell = 0 } = behindShell.started.child;
    const sigint = await end(behindShell.folder, shell, "SIGINT", PROMISED_MS).catch(String);
    const folder = testFolder();
    folders.push(folder);
    const orphan = startOrphaned(folder, withoutProtections(controls.npmWatched));
    await waitFor(() => orphan.output().includes("Everything runs") || undefined, { deadlineMs: 40_000 });
    const unwatched = await start(projectWith({ exec: "exec", removed: ["npmWatched"] }));
    const { pid: npm = 0 } = unwatched.started.child;
    const sigkill = await end(unwatched.folder, npm, "SIGKILL", PROMISED_MS).catch(String);
    writeReport({ what: "npm-signals-control", promise: 23, sigint, sigkill });
    expect(sigint).toContain("did not happen in 4000 ms");
    expect(sigkill).toContain("did not happen in 4000 ms");
    expect(mainProcessOf(unwatched.folder)).toBeGreaterThan(0);
  }, 120_000);
});
