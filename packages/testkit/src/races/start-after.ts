import { setTimeout as delay } from "node:timers/promises";

/** Releases a racer `ms` milliseconds later than the others; 0 is together with them. */
export async function startAfter<T>(ms: number, racer: () => Promise<T>): Promise<T> {
  if (ms > 0) await delay(ms);
  return racer();
}
