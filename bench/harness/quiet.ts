import { setTimeout as delay } from "node:timers/promises";
import { machineLoad } from "./figures.ts";

/** The load average of a machine on which nothing else runs. */
export const QUIET = 0.5;
/** After a part, the load average falls from 2 to 0.2 in 140 s. */
const WITHIN_MS = 300_000;
const EVERY_MS = 5_000;

/** Waits until the machine is quiet. Resolves to false if it is not within 5 minutes. */
export async function becomesQuiet(print: (line: string) => void): Promise<boolean> {
  const until = performance.now() + WITHIN_MS;
  if (machineLoad() > QUIET) print(`# waiting for a quiet machine: the load average is ${machineLoad()}`);
  while (machineLoad() > QUIET) {
    if (performance.now() >= until) return false;
    await delay(EVERY_MS);
  }
  return true;
}
