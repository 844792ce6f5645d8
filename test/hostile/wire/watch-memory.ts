import { readFileSync } from "node:fs";
import type { Program } from "@cloud/testkit";

export interface MemoryWatch {
  /** Resident memory of each program in MiB: when the watch began, its peak, and now. */
  stop(): Readonly<Record<string, { readonly before: number; readonly peak: number; readonly after: number }>>;
}

const EVERY_MS = 100;

/** Samples the resident memory of programs ten times a second; Linux only. */
export function watchMemory(programs: readonly Program[]): MemoryWatch {
  const before = new Map(programs.map((program) => [program, residentMiB(program)]));
  const peak = new Map(before);
  const sample = () => {
    for (const program of programs) peak.set(program, Math.max(peak.get(program) ?? 0, residentMiB(program)));
  };
  const timer = setInterval(sample, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      const entries = programs.map((program) => {
        const figures = { before: before.get(program) ?? 0, peak: peak.get(program) ?? 0, after: residentMiB(program) };
        return [program.name, figures] as const;
      });
      return Object.fromEntries(entries);
    },
  };
}

/** Returns 0 for a program that is not running. */
function residentMiB(program: Program): number {
  try {
    const status = readFileSync(`/proc/${program.pid()}/status`, "utf8");
    return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
