import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RemovedProtection, waitFor, without } from "@cloud/testkit";
import { afterEach } from "@jest/globals";

/** A running `npm start`, for tests. */
export interface NpmStart {
  child: ChildProcess;
  /** Returns all output so far, of standard output and standard error. */
  output: () => string;
  errors: () => string;
  /** Waits for the banner. */
  ready(): Promise<void>;
  /** Waits for the end, including processes that `child` has left behind; resolves to the exit code. */
  ended(): Promise<number | null>;
}

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const PROGRAM = join(ROOT, "packages/local-stack/start.js");
const FREE_PORTS = { GATEWAY_PORT: "0", WORKSPACE_PORT: "0", ENVIRONMENT_PORT: "0", IDENTITY_PORT: "0" };

/** Runs the program of `npm start` on its own folder and on free ports. */
export function npmStart(folder: string, env: Record<string, string> = {}, ...args: string[]): NpmStart {
  return run(process.execPath, [PROGRAM, ...args], folder, { env });
}

/**
 * Runs `npm start` itself, in its own process group as a terminal would. `project` contains the package.json; only
 * npm's own process is the child.
 */
export function startByNpm(folder: string, project: string, ...args: string[]): NpmStart {
  return run("npm", ["start", "--", ...args], folder, { cwd: project, detached: true });
}

/** Runs the program of `npm start` as the orphan of a parent that ended before the program had begun. */
export function startOrphaned(folder: string, env: Record<string, string>): NpmStart {
  const args = ["-c", '"$0" "$1" --no-demo &', process.execPath, PROGRAM];
  return run("/bin/sh", args, folder, { env: { ...env, npm_lifecycle_event: "start" } });
}

/** Returns `npmStart` for a test file: what a test has started is stopped after it. */
export function trackStarts(): typeof npmStart {
  const running: NpmStart[] = [];
  afterEach(async () => {
    for (const started of running.splice(0)) {
      if (started.child.exitCode === null) started.child.kill("SIGTERM");
      await started.ended();
    }
  });
  return (...args) => {
    const started = npmStart(...args);
    running.push(started);
    return started;
  };
}

/** Returns the `env` of a start without these protections. */
export function withoutProtections(removed: readonly RemovedProtection[]): Record<string, string> {
  const { preload, env } = without(removed);
  return { ...env, NODE_OPTIONS: preload.map((module) => `--import=${module}`).join(" ") };
}

function run(command: string, args: readonly string[], folder: string, options: SpawnOptions): NpmStart {
  const env = { ...process.env, ...FREE_PORTS, LOCAL_FOLDER: folder, ...options.env };
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], env });
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.on("data", (chunk: Buffer) => {
      printed[stream] += chunk.toString();
    });
  }
  const end = once(child, "close") as Promise<[number | null]>;
  const ready = async () => {
    const shown = () => child.exitCode !== null || printed.stdout.includes("Ctrl-C stops it") || undefined;
    await waitFor(shown, { deadlineMs: 90_000 });
    if (child.exitCode !== null) throw new Error(`npm start ended: ${printed.stderr}`);
  };
  return {
    child,
    output: () => printed.stdout,
    errors: () => printed.stderr,
    ready,
    ended: async () => (await end)[0],
  };
}

/** Returns the process that serves the folder, by its lock. */
export function mainProcessOf(folder: string): number {
  return Number.parseInt(readFileSync(join(folder, "running"), "utf8"), 10);
}

export interface ServerPids {
  postgres: number;
  nats: number;
  watchdogs: number[];
}

/** Returns the two running servers of the folder. @throws Error if one is not running; Linux only */
export function serversOf(folder: string): ServerPids {
  const processes = processesOf(folder).map((line) => ({ pid: Number.parseInt(line, 10), line }));
  const pidOf = (text: string) => {
    const found = processes.find(({ line }) => line.includes(text));
    if (found === undefined) throw new Error(`no ${text} runs in ${folder}`);
    return found.pid;
  };
  const watchdogs = processes.filter(({ line }) => line.includes("server-watchdog")).map(({ pid }) => pid);
  return { postgres: pidOf(`-D ${folder}/postgres/cluster`), nats: pidOf(`--store_dir ${folder}/nats`), watchdogs };
}

/** Returns the processes (id and command line) that mention the folder, and their watchdogs; Linux only. */
export function processesOf(folder: string): string[] {
  const commands = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [pid, commandOf(pid)] as const);
  const direct = commands.filter(([, command]) => command.includes(folder));
  const watched = new Set(direct.map(([pid]) => pid));
  const watchdogs = commands.filter(([, command]) => watched.has(/server-watchdog (\d+)/.exec(command)?.[1] ?? ""));
  return [...direct, ...watchdogs].map(([pid, command]) => `${pid} ${command}`);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // it has just exited
  }
}
