/**
 * Where a race is, and how large. Each race of a service is one file, `services/<name>/test/races/<race>.int.test.ts`,
 * which two jobs play: `npm test`, the gate, with few rounds, and `npm run test:chaos -- --only races` with the figures
 * of docs/reliability.md, or with `--long` with ten times as many. The size comes from the environment: the second job
 * sets RACE_SIZE (packages/testkit/jest/run-suite.ts). A race that needs processes, replicas or the whole system is one
 * file, `test/chaos/races/<race>.chaos.test.ts`, which only the second job plays. A control that loses a race by chance
 * is played until it does, `raceUntil`: small, too, it fails for no other reason than its protection.
 */
import { writeReport } from "./figures/figures.ts";

type Size = "gate" | "chaos" | "long";

const SIZES: readonly unknown[] = ["chaos", "long"] satisfies Size[];

function sizeOfRun(): Size {
  const given = process.env["RACE_SIZE"];
  return SIZES.includes(given) ? (given as Size) : "gate";
}

/** Returns the figure of this run: a number of rounds, racers or records. */
export function raceSize(figures: Readonly<Record<Size, number>>): number {
  return figures[sizeOfRun()];
}

/** The milliseconds after which a test of a race fails, as the third argument of `test`. */
export const RACE_DEADLINE_MS = raceSize({ gate: 120_000, chaos: 120_000, long: 1_200_000 });

/** Reports the figures of a race as `writeReport` does, except in the gate, whose few rounds are no measurement. */
export function reportRace(report: Parameters<typeof writeReport>[0]): void {
  if (sizeOfRun() !== "gate") writeReport(report);
}

/** Plays a race until it is lost, at most `max` times, and returns the last outcome. */
export async function raceUntil<T>(isLost: (outcome: T) => boolean, race: () => Promise<T>, max = 20): Promise<T> {
  for (let played = 1; ; played++) {
    const outcome = await race();
    if (isLost(outcome) || played === max) return outcome;
  }
}
