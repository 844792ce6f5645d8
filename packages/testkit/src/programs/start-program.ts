import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ServerProcess, startServerProcess } from "@cloud/local-servers";
import { currentTestRun, noteOpened } from "../test-run.ts";

export interface ProgramOptions {
  readonly name: string;
  /** The file that Node runs. */
  readonly main: string;
  /** It must answer 200 to `GET /healthz` there once it serves. Given to it as PORT. */
  readonly port: number;
  /** Besides PATH, HOST and PORT nothing else is handed on. */
  readonly env: Readonly<Record<string, string>>;
  /** Modules that Node loads before `main`. */
  readonly preload?: readonly string[];
}

/** A line of a program's log, as pino writes it. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A real program in a process of its own, which ends with this process at the latest. */
export interface Program {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  isRunning(): boolean;
  /** Undefined while it does not run. */
  pid(): number | undefined;
  /** Answers when it serves. @throws Error with its last words when it ends before */
  start(): Promise<void>;
  /** SIGKILL; answers when it has ended. */
  kill(): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | null>;
  /** Freezes it: its connections stay open and get no answer. */
  pause(): void;
  resume(): void;
  /** How often it ended without being told to. */
  crashes(): number;
  /** What it logged in all its lives, oldest first. */
  log(): LogLine[];
  /** Kills it where it runs, for the end of a test. */
  close(): Promise<void>;
}

const DEADLINE_MS = 30_000;

/** A start took 0.28 s of CPU with it, and 0.49 s without. */
const COMPILED = fileURLToPath(new URL("../../../../.cache/compiled", import.meta.url));
const KEEP_COMPILED = fileURLToPath(new URL("keep-compiled.ts", import.meta.url));

export async function startProgram(options: ProgramOptions): Promise<Program> {
  const program = createProgram(options);
  await program.start();
  return program;
}

/** One that is not started yet. */
export function createProgram({ name, main, port, env, preload = [] }: ProgramOptions): Program {
  const folder = mkdtempSync(join(currentTestRun().folder, "program-"));
  const url = `http://127.0.0.1:${port}`;
  const logs: string[] = [];
  const noteClosed = noteOpened("program", `${name}-${port}`);
  let life: ServerProcess | undefined;
  let crashes = 0;
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

  const start = async () => {
    countCrash();
    const logFile = join(folder, `${logs.length}.log`);
    const args = [...[KEEP_COMPILED, ...preload].flatMap((module) => ["--import", module]), main];
    const starting = await startServerProcess({
      command: process.execPath,
      args,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOST: "127.0.0.1",
        PORT: String(port),
        ...env,
        NODE_COMPILE_CACHE: COMPILED,
      },
      logFile,
      lastSignal: "SIGKILL",
    });
    life = starting;
    logs.push(logFile);
    for (let waited = 0; waited < DEADLINE_MS; waited += 10) {
      if (starting.hasEnded()) break;
      if (await answers(url)) return;
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
    start,
    isRunning: () => life?.hasEnded() === false,
    pid: () => (life?.hasEnded() === false ? life.pid : undefined),
    kill: async () => void (await end("SIGKILL", 0)),
    stop: () => end("SIGTERM", 30_000),
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

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url + "/healthz", { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}

/** Lines that are no JSON, such as a stack that Node printed at a crash, become lines of level `raw`. */
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
