import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@cloud/testkit";

export interface NpmStart {
  child: ChildProcess;
  /** Everything said so far on standard output, and on standard error. */
  output: () => string;
  errors: () => string;
  /** Waits for the banner. */
  ready(): Promise<void>;
  /** Waits for the end; answers the exit code. */
  ended(): Promise<number | null>;
}

const PROGRAM = join(import.meta.dirname, "../start.js");
const FREE_PORTS = { GATEWAY_PORT: "0", WORKSPACE_PORT: "0", ENVIRONMENT_PORT: "0", IDENTITY_PORT: "0" };

/** Runs what `npm start` runs, on a folder of its own and on free ports. */
export function npmStart(folder: string, env: Record<string, string> = {}, ...args: string[]): NpmStart {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...FREE_PORTS, LOCAL_FOLDER: folder, ...env },
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].on("data", (chunk: Buffer) => {
      said[stream] += chunk.toString();
    });
  }
  const end = once(child, "close") as Promise<[number | null]>;
  const ready = async () => {
    const shown = () => child.exitCode !== null || said.stdout.includes("Ctrl-C stops it") || undefined;
    await waitFor(shown, { deadlineMs: 20_000 });
    if (child.exitCode !== null) throw new Error(`npm start ended: ${said.stderr}`);
  };
  return {
    child,
    output: () => said.stdout,
    errors: () => said.stderr,
    ready,
    ended: async () => (await end)[0],
  };
}

/** The processes (id and command line) that mention the folder, and the watchdogs of those; Linux only. */
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
    return ""; // it has just ended
  }
}
