import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ServerProcess, startServerProcess } from "@cloud/local-servers";
import { COMPILE_CACHE, currentTestRun, noteOpened } from "./test-servers.ts";

export interface ProgramOptions {
  readonly name: string;
  /** The file that Node runs. */
  readonly main: string;
  /** Passed as PORT. */
  readonly port: number;
  /** Passed as OPERATOR_PORT. `GET /readyz` there must return something other than `starting` once it serves. */
  readonly operatorPort: number;
  /** The variables that are passed besides PATH, HOST, PORT, OPERATOR_HOST and OPERATOR_PORT; no others are. */
  readonly env: Readonly<Record<string, string>>;
  /** Modules that Node loads before `main`. */
  readonly preload?: readonly string[];
}

/** A line of a program's log, as written by pino. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A real program in a separate process, which is killed when this process exits. */
export interface Program {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  /** The URL of its operator port, with `/readyz` and `/metrics`. */
  readonly operatorUrl: string;
  isRunning(): boolean;
  /** Undefined while it is not running. */
  pid(): number | undefined;
  /** Starts it, and does not wait until it serves. */
  launch(): Promise<void>;
  /** Resolves when it serves. @throws Error with its last output if it exits before */
  start(): Promise<void>;
  /** Sends SIGKILL; resolves when it has exited. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /**
   * Changes variables from the next start on, in addition to the ones of the options; each call replaces the previous
   * one.
   */
  setEnvironment(changed: Readonly<Record<string, string>>): void;
  /** Freezes it: its connections stay open and get no response. */
  pause(): void;
  resume(): void;
  /** Number of exits that were not requested. */
  crashes(): number;
  /** Returns its log lines since its first start, oldest first. */
  log(): LogLine[];
  /** Kills it if it is running, at the end of a test. */
  close(): Promise<void>;
}

const DEADLINE_MS = 30_000;

const KEEP_COMPILED = fileURLToPath(new URL("keep-compiled.js", import.meta.url));

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const program = createProgram(options);
  await program.start();
  return program;
}

/** Creates a program without starting it. */
export function createProgram({ name, main, port, operatorPort, env, preload = [] }: ProgramOptions): Program {
  const folder = mkdtempSync(join(currentTestRun().folder, "program-"));
  const url = `http://127.0.0.1:${port}`;
  const operatorUrl = `http://127.0.0.1:${operatorPort}`;
  const logs: string[] = [];
  const noteClosed = noteOpened("program", `${name}-${port}`);
  let life: ServerProcess | undefined;
  let crashes = 0;
  let changed: Readonly<Record<string, string>> = {};
  const countCrash = () => {
    if (life?.hasEnded() !== true) return;
    crashes++;
    life = undefined;
  };
  const end = async (signal: NodeJS.Signals, graceMs: number) => {
    countCrash();
    const ending = life;
    life = undefined;
    await ending?.stop(signal, graceMs);
    return ending?.exitCode() ?? null;
  };
  const signal = (sent: NodeJS.Signals) => {
    if (life !== undefined) process.kill(life.pid, sent);
  };

  const launch = async () => {
    countCrash();
    const logFile = join(folder, `${logs.length}.log`);
    const keeps = env["NODE_DISABLE_COMPILE_CACHE"] === undefined ? [KEEP_COMPILED] : [];
    const args = [...[...keeps, ...preload].flatMap((module) => ["--import", module]), main];
    const starting = await startServerProcess({
      command: process.execPath,
      args,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOST: "127.0.0.1",
        PORT: String(port),
        OPERATOR_HOST: "127.0.0.1",
        OPERATOR_PORT: String(operatorPort),
        ...env,
        ...changed,
        ...COMPILE_CACHE,
      },
      logFile,
      lastSignal: "SIGKILL",
    });
    life = starting;
    logs.push(logFile);
    return { starting, logFile };
  };

  const start = async () => {
    const { starting, logFile } = await launch();
    for (let waited = 0; waited < DEADLINE_MS; waited += 10) {
      if (starting.hasEnded()) break;
      if (await isServing(operatorUrl)) return;
      await delay(10);
    }
    if (life !== starting) throw new Error(`${name} was killed before it served`);
    life = undefined;
    await starting.stop("SIGKILL", 0);
    throw new Error(`${name} does not serve:\n${readFileSync(logFile, "utf8").slice(-2000)}`);
  };

  return {
    name,
    port,
    url,
    operatorUrl,
    launch: async () => void (await launch()),
    start,
    isRunning: () => life?.hasEnded() === false,
    pid: () => (life?.hasEnded() === false ? life.pid : undefined),
    kill: async () => void (await end("SIGKILL", 0)),
    stop: () => end("SIGTERM", 30_000),
    setEnvironment: (next) => {
      changed = next;
    },
    pause: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    crashes: () => crashes + (life?.hasEnded() === true ? 1 : 0),
    log: () => logs.flatMap(readLog),
    close: async () => {
      await end("SIGKILL", 0);
      noteClosed();
    },
  };
}

/** Returns whether a program serves, which it does before it is ready when a dependency is down. */
async function isServing(operatorUrl: string): Promise<boolean> {
  try {
    const response = await fetch(operatorUrl + "/readyz", { signal: AbortSignal.timeout(1000) });
    return !(await response.text()).startsWith("starting\n");
  } catch {
    return false;
  }
}

/**
 * Returns the lines of a log. Lines that are not JSON, such as a stack that Node printed at a crash, become lines of
 * level `raw`.
 */
function readLog(file: string): LogLine[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map(parseLine);
}

function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { level: "raw", msg: line };
  }
}

/** A protection removed for a control: one line of the product, found by its marker wherever it stands. */
export interface RemovedProtection {
  /** NAME of the comment `// protects: NAME`, in SQL `-- protects: NAME`, at the end of the line or alone above it. */
  readonly marker: string;
  /** The line in its place; it is dropped if absent. */
  readonly instead?: string;
}

/** Returns the options that start a program without the protections. */
export function without(removed: readonly RemovedProtection[]): { preload: string[]; env: Record<string, string> } {
  if (removed.length === 0) return { preload: [], env: {} };
  const preload = [fileURLToPath(new URL("faults/remove-protections.ts", import.meta.url))];
  return { preload, env: { REMOVED_PROTECTIONS: JSON.stringify(removed) } };
}
