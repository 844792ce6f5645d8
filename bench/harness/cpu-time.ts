import { readFileSync } from "node:fs";
import { processTree } from "@cloud/testkit/faults";

/** The kernel counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/**
 * Returns the processor time, user and system, that a process with all its threads has used so far, in milliseconds.
 */
export function cpuMsOf(pid: number): number {
  const [user, system] = timesOf(pid);
  return (user + system) * MS_PER_TICK;
}

/** Like `cpuMsOf`, with all descendants, exited ones too: Postgres has a process per connection. */
export function cpuMsOfTree(pid: number): number {
  const ticks = processTree(pid).flatMap(timesOf);
  return ticks.reduce((sum, one) => sum + one, 0) * MS_PER_TICK;
}

/** Returns the user and system time of a process, then of its children that have exited, in ticks. */
function timesOf(pid: number): [number, number, number, number] {
  const fields = statOf(pid);
  return [Number(fields[11]), Number(fields[12]), Number(fields[13]), Number(fields[14])];
}

/**
 * Returns the fields after the name, which is in parentheses and may contain spaces; zeros if the process has exited.
 */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return Array.from({ length: 15 }, () => "0");
  }
}
