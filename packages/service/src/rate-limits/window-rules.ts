/** Seconds for which an allowance lasts. Windows begin with the full minute, the same for all keys and replicas. */
export const WINDOW_SECONDS = 60;

const WINDOW_MS = WINDOW_SECONDS * 1_000;

/** Returns the start of the window that a time belongs to; both in milliseconds since 1970. */
export function windowOf(nowMs: number): number {
  return Math.floor(nowMs / WINDOW_MS) * WINDOW_MS;
}

/** Returns the seconds until the next window begins, rounded up: 1 to 60. */
export function secondsLeft(nowMs: number): number {
  return Math.ceil((windowOf(nowMs) + WINDOW_MS - nowMs) / 1_000);
}
