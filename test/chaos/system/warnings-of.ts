import type { Program } from "@cloud/testkit";

/** Counts the warnings and errors that programs have logged, by program, message and cause: why a request failed. */
export function warningsOf(programs: readonly Program[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const program of programs) {
    for (const { level, msg, err } of program.log()) {
      if (!LEVELS.has(level)) continue;
      const cause = (err as { readonly message?: string } | undefined)?.message;
      const line = [program.name, msg, ...(cause === undefined ? [] : [cause])].join(": ");
      counts[line] = (counts[line] ?? 0) + 1;
    }
  }
  return counts;
}

const LEVELS: ReadonlySet<string> = new Set(["warn", "error", "fatal"]);
