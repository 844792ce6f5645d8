export interface Readiness {
  readonly ready: boolean;
  /** The lines of `/readyz`, followed by the conditions that require an operator. */
  readonly lines: readonly string[];
}

/** While the program starts: it waits for Postgres, migrates, or opens its port. */
export const STARTING: Readiness = { ready: false, lines: ["starting"] };

/** Between the beginnings of two checks, in milliseconds. */
const INTERVAL_MS = 1_000;

/**
 * Shares one check among all its callers: a call within a second of the last check gets that one's result, also while it
 * is still running. So 200 probes, or as many watchers, cost one statement a second. A rejection is shared like a result.
 */
export function atMostOncePerSecond<T>(check: () => Promise<T>, now = () => performance.now()): () => Promise<T> {
  let last: { readonly beganAt: number; readonly result: Promise<T> } | undefined;
  let isRunning = false;
  return () => {
    if (last === undefined || (!isRunning && now() - last.beganAt >= INTERVAL_MS)) {
      isRunning = true;
      last = { beganAt: now(), result: check().finally(() => (isRunning = false)) };
    }
    return last.result;
  };
}
