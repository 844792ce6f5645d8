import { setTimeout as delay } from "node:timers/promises";

/** A racer that is released `ms` milliseconds later than the others; 0 is with them. */
export async function startAfter<T>(ms: number, racer: () => Promise<T>): Promise<T> {
  if (ms > 0) await delay(ms);
  return racer();
}
