import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { descendantsOf, kill, processesOf } from "./own-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { type FileNotes, nameOf, readNotes } from "./test-notes.ts";

export interface JestRun {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** A test file that takes longer, in milliseconds, is ended, and named with the processes that it has started. */
  readonly fileLimitMs: number;
  /**
   * How long its processes may take to end after jest has, in milliseconds: watchdogs stop servers. 10,000 if absent.
   */
  readonly graceMs?: number | undefined;
}

export interface JestResult {
  readonly succeeded: boolean;
  readonly files: readonly FileNotes[];
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const REPORTER = fileURLToPath(new URL("reporter.js", import.meta.url));
const JEST = ["node_modules/jest/bin/jest.js"];
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/**
 * Runs jest in a process group of its own, with a folder of its own for temporary files. When it has ended, for
 * whatever reason, its processes are ended, too, and the folder is deleted. A process that outlives a run which was not
 * interrupted makes it fail, and is named.
 */
export async function runJest({ args, env, fileLimitMs, graceMs = 10_000 }: JestRun): Promise<JestResult> {
  const folder = mkdtempSync(join(temporaryFolder(), "test-run-"));
  // Postgres does not run as root, and must pass through it.
  chmodSync(folder, 0o711);
  const notes = join(folder, "notes");
  const all = [...JEST, ...args, "--reporters=default", `--reporters=${REPORTER}`];
  const child = spawn(process.execPath, all, {
    cwd: ROOT,
    env: { ...process.env, ...env, TEST_NOTES: notes, TMPDIR: folder },
    stdio: "inherit",
    detached: true,
  });
  let interrupted: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals) => {
    interrupted ??= signal;
    signalGroup(child, "SIGTERM");
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const ended = new Set<string>();
  const watch = setInterval(() => endSlowFiles(notes, fileLimitMs, ended), 1000);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(watch);
  const files = readNotes(notes);
  if (interrupted !== undefined) reportInterrupted(interrupted, files);
  const leftovers = await endLeftovers(folder, graceMs);
  const open = files.filter(({ leftOpen }) => leftOpen !== undefined);
  for (const file of open) process.stdout.write(`left open by ${nameOf(file)}: ${file.leftOpen?.join(", ")}\n`);
  for (const signal of SIGNALS) process.off(signal, interrupt);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const isClean = interrupted !== undefined || (leftovers === 0 && open.length === 0);
  return { succeeded: code === 0 && interrupted === undefined && isClean, files };
}

function signalGroup({ pid, exitCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, signal);
}

function endSlowFiles(notes: string, limitMs: number, ended: Set<string>): void {
  const slow = runningOf(readNotes(notes)).filter(({ startedAt }) => Date.now() - startedAt > limitMs);
  for (const file of slow) {
    if (file.pid === undefined || ended.has(file.path)) continue;
    ended.add(file.path);
    const started = descendantsOf(file.pid);
    const list = started.map(({ pid, command }) => `  ${pid} ${command}\n`).join("");
    const what = started.length === 0 ? "" : `, with the processes that it had started:\n${list.trimEnd()}`;
    process.stdout.write(`\n${nameOf(file)} ran for ${limitMs / 1000} s and was ended${what}\n`);
    kill([...started, { pid: file.pid }]);
  }
}

function reportInterrupted(signal: NodeJS.Signals, files: readonly FileNotes[]): void {
  const running = runningOf(files).map((file) => `\n  ${nameOf(file)}`);
  process.stdout.write(`\n${signal}: stopped; these files had not ended:${running.join("")}\n`);
}

const runningOf = (files: readonly FileNotes[]) => files.filter(({ endedAt }) => endedAt === undefined);

/** Returns how many processes had to be killed. */
async function endLeftovers(folder: string, graceMs: number): Promise<number> {
  const deadline = performance.now() + graceMs;
  let left = processesOf(folder);
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    left = processesOf(folder);
  }
  for (const { pid, command } of left) process.stdout.write(`left over, and killed: ${pid} ${command}\n`);
  kill(left);
  return left.length;
}
