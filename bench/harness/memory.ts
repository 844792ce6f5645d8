import { readFileSync } from "node:fs";

/** Returns the memory of a process that is resident now, in MB. */
export const residentMb = (pid: number) => read(pid, "VmRSS");

/** Returns the most memory of a process that was ever resident, in MB. */
export const mostResidentMb = (pid: number) => read(pid, "VmHWM");

function read(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}
