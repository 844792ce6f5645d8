import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { testFolder, waitFor } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { processesOf } from "./own-processes.ts";

const RUN = fileURLToPath(new URL("fixtures/run.ts", import.meta.url));
const DEADLINE_MS = 60_000;

test(
  "a file that hangs is ended and named, with the processes that it left; the others run",
  async () => {
    const run = start("2000", "10000", "hangs", "passes");
    expect(await run.exitCode()).toBe(1);
    expect(run.output()).toMatch(
      /hangs\.fixture\.ts ran for 2 s and was ended, with the processes .*:\n {2}\d+ sleep 3600\n/,
    );
    expect(run.output()).toContain("PASS fixtures packages/testkit/jest/fixtures/passes.fixture.ts");
    expect(run.output()).toMatch(
      /Failed:\n {2}packages\/testkit\/jest\/fixtures\/hangs.fixture.ts failed outside its tests\n {4}repeat /,
    );
    expect(run.left()).toEqual({ processes: [], folders: [] });
  },
  DEADLINE_MS,
);

test(
  "a process that outlives its run is killed, and makes the run fail",
  async () => {
    const run = start("30000", "100", "leaves-process");
    expect(await run.exitCode()).toBe(1);
    expect(run.output()).toMatch(/1 passed, 1 total[\s\S]*left over, and killed: \d+ sleep 3601\n/);
    expect(run.left()).toEqual({ processes: [], folders: [] });
  },
  DEADLINE_MS,
);

test(
  "a run without leftovers succeeds",
  async () => {
    const run = start("30000", "10000", "passes");
    expect(await run.exitCode()).toBe(0);
    expect(run.output()).not.toMatch(/left over|Failed:/);
  },
  DEADLINE_MS,
);

test.each(["SIGINT", "SIGTERM"] as const)(
  "after %s neither processes nor folders are left",
  async (signal) => {
    const run = start("60000", "10000", "waits");
    await waitFor(async () => run.output().includes("waiting\n") || undefined, { deadlineMs: DEADLINE_MS });
    const before = run.left();
    expect(before.processes.filter((command) => /postgres|nats-server/.test(command)).length).toBeGreaterThan(1);
    expect(before.folders).toHaveLength(1);
    run.child.kill(signal);
    expect(await run.exitCode()).toBe(1);
    expect(run.output()).toContain(
      `${signal}: stopped; these files had not ended:\n  packages/testkit/jest/fixtures/waits.fixture.ts`,
    );
    expect(run.left()).toEqual({ processes: [], folders: [] });
  },
  DEADLINE_MS,
);

interface Run {
  readonly child: ChildProcess;
  exitCode(): Promise<number | null>;
  output(): string;
  /** Returns the processes that still use the run's folder for temporary files, and the folders left in it. */
  left(): { readonly processes: string[]; readonly folders: string[] };
}

function start(...args: string[]): Run {
  const folder = testFolder();
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, [RUN, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const closed = once(child, "close") as Promise<[number | null]>;
  return {
    child,
    exitCode: async () => (await closed)[0],
    output: () => output,
    left: () => ({ processes: processesOf(folder).map(({ command }) => command), folders: readdirSync(folder) }),
  };
}
