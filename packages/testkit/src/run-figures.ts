import { randomInt } from "node:crypto";

/** Whether this is the long form of the runs: `npm run test:chaos -- --long`. */
export const isLongRun = (): boolean => process.env["CHAOS_LONG"] === "1";

/** Returns the size of a run: the figures of CI, or those of the long form. */
export const runFigures = <T>(figures: { ci: T; long: T }): T => (isLongRun() ? figures.long : figures.ci);

let seed: number | undefined;

/** Returns `CHAOS_SEED`, to repeat a run, or a new seed; one for all runs of a file. */
export function runSeed(): number {
  const given = Number(process.env["CHAOS_SEED"]);
  seed ??= Number.isInteger(given) && given > 0 ? given : randomInt(1, 2 ** 31);
  return seed;
}
