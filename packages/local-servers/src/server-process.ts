import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";

export interface ServerProgram {
  command: string;
  args: readonly string[];
  /** The environment of the server; this process's if absent. */
  env?: Readonly<Record<string, string>> | undefined;
  /**
   * The file to which the output is appended. Not a pipe: a busy or dying parent must not stall or break the server.
   */
  logFile: string;
  user?: SystemUser | undefined;
  /** Sent by the watchdog when this process dies first. */
  lastSignal: NodeJS.Signals;
  /** Deleted when the server has ended, by `stop` or by the watchdog. */
  removeFolder?: string | undefined;
}

/** The account that a server runs as if we are root, because Postgres refuses to run as root. */
export interface SystemUser {
  /** The ids for `spawn`; empty if the wrapper changes the user. */
  ids: { uid?: number; gid?: number };
  /** Returns the command to run in place of `command`, as a list. */
  wrap(command: string): string[];
  own(folder: string): void;
}

export interface ServerProcess {
  readonly pid: number;
  /** Whether the process has ended, for whatever reason. */
  hasEnded(): boolean;
  /** Returns the exit code; null while it runs, and after a signal. */
  exitCode(): number | null;
  /** Settles when the process has ended, with the reason: `SIGKILL`, or `exit code 1`. */
  readonly ended: Promise<string>;
  readonly logFile: string;
  /** Returns the server's output since this start. */
  written(): string;
  /** Returns the last lines of the server's output, for an error message. */
  lastLines(): string;
  /** Sends the signal, waits for the end, and sends SIGKILL after `graceMs` milliseconds. Idempotent. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<void>;
}

/**
 * Starts a server in its own session, so that Ctrl-C in the terminal reaches only us and we decide the order of
 * stopping, with a watchdog, so that it ends with us even if we are killed with SIGKILL.
 */
export async function startServerProcess(program: ServerProgram): Promise<ServerProcess> {
  const { command, args, user } = program;
  const log = openServerLog(program.logFile);
  const [wrapper = command, ...wrapped] = user?.wrap(command) ?? [command];
  const child = spawn(wrapper, [...wrapped, ...args], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
    ...(program.env === undefined ? {} : { env: { ...program.env } }),
    ...user?.ids,
  });
  log.close();
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const pid = await spawned(child);
  const watchdog = startWatchdog(pid, program);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // Otherwise it could later send its signal to another process that has been given the same id.
  if (program.removeFolder === undefined) void ended.then(() => watchdog.kill("SIGKILL"));

  const stop = async (signal: NodeJS.Signals, graceMs: number): Promise<void> => {
    if (!hasEnded()) child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    await ended;
    clearTimeout(timer);
    const { removeFolder } = program;
    if (removeFolder !== undefined) await rm(removeFolder, { recursive: true, force: true, maxRetries: 5 });
    watchdog.kill("SIGKILL"); // last: if we are killed meanwhile, it finishes
  };
  child.unref();
  const exitCode = () => child.exitCode;
  const { written, lastLines } = log;
  return { pid, hasEnded, exitCode, ended, logFile: program.logFile, written, lastLines, stop };
}

function spawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
}

function startWatchdog(pid: number, { lastSignal, removeFolder = "" }: ServerProgram): ChildProcess {
  const signal = lastSignal.replace(/^SIG/, "");
  const watchdog = spawn("/bin/sh", ["-c", WATCHDOG, "server-watchdog", String(pid), signal, removeFolder], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watchdog.unref();
  const pipe = watchdog.stdin as (typeof watchdog.stdin & { unref?: () => void }) | null;
  pipe?.on("error", () => undefined);
  pipe?.unref?.();
  return watchdog;
}

// `read` returns when the other end of the pipe closes, which the kernel does for us however we die. Waits at most 5
// seconds for the server's end: if no process reaps orphans (a container without an init), its id stays in use.
const WATCHDOG =
  'read -r _; kill -s "$2" "$1" 2>/dev/null; [ -z "$3" ] && exit; ' +
  'i=0; while [ $i -lt 100 ] && kill -0 "$1" 2>/dev/null; do sleep 0.05; i=$((i+1)); done; rm -rf -- "$3"';

interface ServerLog {
  /** The file of the server's output; must be closed once the server has inherited it. */
  readonly fd: number;
  close(): void;
  /** Returns the output of this life of the server. */
  written(): string;
  /** Returns the line of this life that describes the fault, for an error message; otherwise the last one. */
  lastLines(): string;
}

/**
 * Opens the log of a server. Its lines are appended to the ones of earlier runs, which state why these ended. A log of
 * more than 10 MB is renamed to `<file>.1` first.
 */
function openServerLog(file: string): ServerLog {
  const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size() > MAX_BYTES) renameSync(file, `${file}.1`);
  const begin = size();
  const fd = openSync(file, "a", 0o600);
  const written = () => readFileSync(file).subarray(begin).toString();
  return { fd, close: () => closeSync(fd), written, lastLines: () => faultIn(written()) };
}

const MAX_BYTES = 10 * 1024 * 1024;

function faultIn(text: string): string {
  const lines = text.trim().split("\n");
  const fatal = lines.filter((line) => /FATAL|\[FTL\]|error:|nats-server:/i.test(line));
  return (fatal.at(-1) ?? lines.at(-1) ?? "").replace(/^.*?(FATAL|\[FTL\]):?\s*/, "");
}

export type LocalServerFault =
  | "PORT_IN_USE"
  | "BROKEN_FOLDER"
  | "FOLDER_IN_USE"
  | "SERVER_MISSING"
  | "START_FAILED"
  | "SERVER_ENDED";

/**
 * Thrown when a local server does not start or keep running: one line that users can act on, and `fault` for programs
 * to distinguish.
 */
export class LocalServerError extends Error {
  readonly fault: LocalServerFault;

  constructor(fault: LocalServerFault, message: string, cause?: unknown) {
    super(message.replaceAll(/\s+/g, " ").trim(), cause === undefined ? undefined : { cause });
    this.name = "LocalServerError";
    this.fault = fault;
  }
}
