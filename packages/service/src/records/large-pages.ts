import type { StatementResult } from "@cloud/postgres";

/** Of a page of 25 records with a name and a description there are 10,000. */
const LARGE_CHARACTERS = 2 ** 20;
const LARGE_MS = 60_000;

/**
 * The organizations with a large page in the last minute. Their lists take their turns, as searches do: 320 pages of
 * 6 MB of one user took 10 s of processor time, and others waited for 5 s.
 */
export function largePages() {
  const timers = new Map<string, NodeJS.Timeout>();
  return {
    has: (organization: string) => timers.has(organization),
    add(organization: string): void {
      clearTimeout(timers.get(organization));
      timers.set(organization, setTimeout(() => timers.delete(organization), LARGE_MS).unref());
    },
  };
}

export function isLarge(result: StatementResult | Error): boolean {
  if (result instanceof Error) return false;
  let characters = 0;
  for (const row of result.rows) {
    for (const value of Object.values(row)) characters += typeof value === "string" ? value.length : 0;
  }
  return characters > LARGE_CHARACTERS;
}
