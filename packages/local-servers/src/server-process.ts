import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { openServerLog } from "./server-log.ts";
import type { SystemUser } from "./system-user.ts";

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

export interface ServerProgram {
  command: string;
  args: readonly string[];
  /** This process's environment if absent. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Appended to. A file and not a pipe: a busy or dying parent must not stall or break the server. */
  logFile: string;
  user?: SystemUser | undefined;
  /** Sent by the watchdog when this process dies first. */
  lastSignal: NodeJS.Signals;
  /** Deleted when the server has ended, by `stop` or by the watchdog. */
  removeFolder?: string | undefined;
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

// `read` returns when the other end of the pipe closes, which the kernel does for us however we die. Waits at most 5
// seconds for the server's end: if no process reaps orphans (a container without an init), its id stays in use.
const WATCHDOG =
  'read -r _; kill -s "$2" "$1" 2>/dev/null; [ -z "$3" ] && exit; ' +
  'i=0; while [ $i -lt 100 ] && kill -0 "$1" 2>/dev/null; do sleep 0.05; i=$((i+1)); done; rm -rf -- "$3"';

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
