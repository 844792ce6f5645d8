import { randomInt } from "node:crypto";

/** The long form of the runs, asked for with `npm run test:chaos -- --long`. */
export const isLongRun = (): boolean => process.env["CHAOS_LONG"] === "1";

/** How much a run does: the figures of CI, or those of the long form. */
export const runFigures = <T>(figures: { ci: T; long: T }): T => (isLongRun() ? figures.long : figures.ci);

let seed: number | undefined;

/** `CHAOS_SEED`, to play a run again, or a new seed; one for all runs of a file. */
export function runSeed(): number {
  const given = Number(process.env["CHAOS_SEED"]);
  seed ??= Number.isInteger(given) && given > 0 ? given : randomInt(1, 2 ** 31);
  return seed;
}
