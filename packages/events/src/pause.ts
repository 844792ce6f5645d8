import { setTimeout as wait } from "node:timers/promises";

/** Resolves after `ms` milliseconds, or as soon as `signal` is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

/** Returns the milliseconds before the next attempt: doubling from `first`, at most `longest`. */
export function backoff(failures: number, first: number, longest: number): number {
  return Math.min(longest, first * 2 ** Math.max(0, failures - 1));
}

interface Wake {
  /** Ends the current wait, or the next one if none is pending. */
  now(): void;
  wait(): Promise<void>;
}

/** Creates a coalesced wake-up signal for a single waiter: several signals before it wakes count as one. */
export function createWake(): Wake {
  let signalled = false;
  let resolve: (() => void) | undefined;
  return {
    now: () => {
      signalled = true;
      resolve?.();
    },
    wait: async () => {
      if (!signalled) await new Promise<void>((wakeUp) => (resolve = wakeUp));
      signalled = false;
      resolve = undefined;
    },
  };
}
