import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export interface JestRun {
  /** In addition to those of npm's scripts. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Kills it after this many milliseconds: what hangs is named, and fails. Unlimited if absent. */
  readonly limitMs?: number | undefined;
}

/** What became of the files of a run. */
interface Outcome {
  readonly succeeded: boolean;
  /** Paths of the files that failed, or were not finished when it was killed; undefined if some had not even begun. */
  readonly open: readonly string[] | undefined;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const REPORTER = fileURLToPath(new URL("note-results.js", import.meta.url));
const JEST = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
/** More than these are a fault of the project rather than of the company they kept. */
const MOST_AGAIN = 3;

/** Runs jest; returns whether everything passed. */
export async function runJest(run: JestRun): Promise<boolean> {
  return (await runOnce(run)).succeeded;
}

/**
 * Runs files beside each other; those that fail run again, alone, and that decides. Each has deadlines that hold while two
 * others share its two cores, but not beside everything else that a machine may be doing.
 */
export async function runBeside(run: JestRun): Promise<boolean> {
  const { succeeded, open } = await runOnce(run);
  if (succeeded) return true;
  if (open === undefined || open.length === 0 || open.length > MOST_AGAIN) return false;
  const names = open.map((path) => relative(ROOT, path)).join(", ");
  process.stdout.write(`failed beside others, and decided by a run alone: ${names}\n`);
  // The last of them counts of those that are given twice.
  const args = [...run.args, "--maxWorkers=1", "--runTestsByPath", ...open];
  return await runJest({ ...run, args: args.filter((arg) => !arg.endsWith("\\.test\\.ts$")) });
}

async function runOnce({ args, env, limitMs }: JestRun): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "jest-run-"));
  const noted = join(folder, "results");
  try {
    await writeFile(noted, "");
    const all = [...JEST, "--reporters=default", `--reporters=${REPORTER}`, ...args];
    const code = await exitCode(all, { ...process.env, ...env, NOTED_RESULTS: noted }, limitMs);
    return { succeeded: code === 0, open: openFiles(await readFile(noted, "utf8")) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In a process group of its own, so that a worker that never returns to its event loop can be killed with it. */
async function exitCode(args: readonly string[], env: NodeJS.ProcessEnv, limitMs?: number): Promise<number | null> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "inherit", detached: true });
  const signalAll = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  const kill = () => {
    process.stderr.write(`not finished after ${limitMs} ms: killed\n`);
    signalAll("SIGKILL");
  };
  const timer = limitMs === undefined ? undefined : setTimeout(kill, limitMs);
  const signals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
  for (const signal of signals) process.on(signal, signalAll);
  const [code] = (await once(child, "exit")) as [number | null];
  for (const signal of signals) process.off(signal, signalAll);
  clearTimeout(timer);
  return code;
}

function openFiles(noted: string): string[] | undefined {
  const lines = noted.split("\n").filter((line) => line !== "");
  const notes = lines.map((line) => JSON.parse(line) as ["files", number] | ["started" | "passed" | "failed", string]);
  const pathsOf = (what: string) => new Set(notes.flatMap(([kind, path]) => (kind === what ? [String(path)] : [])));
  const [started, passed] = [pathsOf("started"), pathsOf("passed")];
  const wanted = notes.find(([kind]) => kind === "files")?.[1];
  return started.size === wanted ? [...started].filter((path) => !passed.has(path)) : undefined;
}
