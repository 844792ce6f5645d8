import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

interface RunningProcess {
  pid: number;
  /** The program and its arguments. */
  argv: string[];
}

/**
 * Returns all processes whose command line can be read: from /proc, otherwise (macOS) from `ps`, where a space ends an
 * argument.
 */
export function runningProcesses(): RunningProcess[] {
  if (!existsSync("/proc/self/cmdline")) return processesOfPs(["-axww"]);
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.map((pid) => ({ pid, argv: argvOf(pid) ?? [] }));
}

/**
 * Returns the program and the arguments of a process; empty if it has exited and is not reaped yet, undefined if they
 * cannot be read.
 */
export function argvOf(pid: number): string[] | undefined {
  if (!existsSync("/proc/self/cmdline")) return processesOfPs(["-ww", "-p", String(pid)])[0]?.argv;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return undefined;
  }
}

function processesOfPs(which: readonly string[]): RunningProcess[] {
  const { stdout } = spawnSync("ps", [...which, "-o", "pid=,command="], { encoding: "utf8" });
  return (stdout ?? "").split("\n").flatMap((line) => {
    const [pid = "", ...argv] = line.trim().split(" ");
    return argv.length === 0 ? [] : [{ pid: Number(pid), argv }];
  });
}

/** Sends a signal to a process that may have exited. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
