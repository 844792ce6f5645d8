import { readFileSync } from "node:fs";
import type { System } from "./start-system.ts";

/** The kernel counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** Returns the processor time that each program has used so far, in milliseconds. */
export function cpuTimes({ programs }: System): Record<string, number> {
  const times: Record<string, number> = {};
  for (const program of programs) {
    const pid = program.pid();
    if (pid !== undefined) times[program.name] = (times[program.name] ?? 0) + cpuTimeOf(pid);
  }
  return times;
}

/** Returns the time per unit of work between two readings. */
export function cpuPer(count: number, before: Record<string, number>, after: Record<string, number>) {
  const names = Object.keys(after);
  return Object.fromEntries(
    names.map((name) => [name, Math.round((100 * ((after[name] ?? 0) - (before[name] ?? 0))) / count) / 100]),
  );
}

// utime and stime are the 14th and 15th fields; the second, in parentheses, may contain spaces.
function cpuTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
