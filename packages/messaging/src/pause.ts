import { setTimeout as wait } from "node:timers/promises";

/** Resolves after `ms` milliseconds, or as soon as `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

/** Returns the milliseconds before the next attempt: doubling from `first`, at most `longest`. */
export function backoff(failures: number, first: number, longest: number): number {
  return Math.min(longest, first * 2 ** Math.max(0, failures - 1));
}
