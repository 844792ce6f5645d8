import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { SystemUser } from "./system-user.ts";

export interface ServerProcess {
  readonly pid: number;
  /** Whether the process has ended, for whatever reason. */
  hasEnded(): boolean;
  /** The exit code; null while it runs, and after a signal. */
  exitCode(): number | null;
  /** The last lines that the server wrote, for an error message. */
  lastLines(): string;
  /** Sends the signal, waits for the end, and after `graceMs` milliseconds sends SIGKILL. Safe to call twice. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<void>;
}

export interface ServerProgram {
  command: string;
  args: readonly string[];
  /** This process's environment when left out. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Written anew at every start. A file and not a pipe: a busy or dying parent must not stall or break the server. */
  logFile: string;
  user?: SystemUser | undefined;
  /** Sent by the watchdog when this process dies first. */
  lastSignal: NodeJS.Signals;
  /** Deleted when the server has ended, by `stop` or by the watchdog. */
  removeFolder?: string | undefined;
}

/**
 * Starts a server in a session of its own, so that Ctrl-C in the terminal reaches only us and we decide the order of
 * stopping, with a watchdog, so that it ends with us even when we are killed with SIGKILL.
 */
export async function startServerProcess(program: ServerProgram): Promise<ServerProcess> {
  const { command, args, user } = program;
  const log = openSync(program.logFile, "w", 0o600);
  const [wrapper = command, ...wrapped] = user?.wrap(command) ?? [command];
  const child = spawn(wrapper, [...wrapped, ...args], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", log, log],
    ...(program.env === undefined ? {} : { env: { ...program.env } }),
    ...user?.ids,
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const pid = await spawned(child);
  const watchdog = startWatchdog(pid, program);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;

  const stop = async (signal: NodeJS.Signals, graceMs: number): Promise<void> => {
    if (!hasEnded()) child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    await ended;
    clearTimeout(timer);
    const { removeFolder } = program;
    if (removeFolder !== undefined) await rm(removeFolder, { recursive: true, force: true, maxRetries: 5 });
    watchdog.kill("SIGKILL"); // last: should we be killed meanwhile, it finishes
  };
  child.unref();
  const exitCode = () => child.exitCode;
  return { pid, hasEnded, exitCode, lastLines: () => readLastLines(program.logFile), stop };
}

function spawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
}

// `read` returns when the other end of the pipe closes, which the kernel does for us however we die. At most 5 seconds
// for the server's end: where nobody reaps orphans (a container without an init) its id lives on.
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

function readLastLines(file: string): string {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const fatal = lines.filter((line) => /FATAL|\[FTL\]|error:|nats-server:/i.test(line));
  return (fatal.at(-1) ?? lines.at(-1) ?? "").replace(/^.*?(FATAL|\[FTL\]):?\s*/, "");
}
