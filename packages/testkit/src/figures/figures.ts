import { randomInt } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Milliseconds, rounded to hundredths. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Returns the nearest-rank percentiles of durations in milliseconds; NaN if there are none. */
export function latenciesOf(durations: readonly number[]): Latencies {
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (part: number) => {
    const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
    return Math.round(value * 100) / 100;
  };
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/**
 * Measures until the figures are good enough, at most `max` times, and returns the last ones. For latencies only:
 * other programs on the machine can only increase them, while a fault of the system shows every time. Counts must hold
 * in each attempt, which `measure` checks. With bounds in milliseconds `measure` is `calibrated`, and `fits` is
 * `isInTime`.
 */
export async function measureUntil<T>(
  fits: (measured: T) => boolean,
  measure: () => Promise<T>,
  max = 3,
): Promise<T & { readonly attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const measured = await measure();
    if (fits(measured) || attempts === max) return { ...measured, attempts };
  }
}

/** Returns whether this is the long form of the runs: `npm run test:chaos -- --long`. */
export const isLongRun = (): boolean => process.env["CHAOS_LONG"] === "1";

/** Returns the size of a run: the figures of CI, or of the long form. */
export const runFigures = <T>(figures: { ci: T; long: T }): T => (isLongRun() ? figures.long : figures.ci);

let seed: number | undefined;

/** Returns `CHAOS_SEED`, to repeat a run, or a new seed; one for all runs of a file. */
export function runSeed(): number {
  const given = Number(process.env["CHAOS_SEED"]);
  seed ??= Number.isInteger(given) && given > 0 ? given : randomInt(1, 2 ** 31);
  return seed;
}

/** The folder of the reports, at the root of the project; ignored by git. */
export const REPORTS = fileURLToPath(new URL("../../../../reports", import.meta.url));

interface Report {
  /** The run, in kebab case, which is the name of its file. */
  readonly what: string;
  /** The row in the table of promises: of docs/reliability.md, or of docs/security.md for `hostile-…`. */
  readonly promise: number;
  /** Counts, latencies in milliseconds, and other measurements. */
  readonly [figure: string]: unknown;
}

/**
 * Prints a run's measurements and its seed as one line of JSON and stores it: appended to `reports/chaos.jsonl`,
 * `hostile.jsonl` or `cluster.jsonl`, and as `reports/<what>.json` in place of the last one.
 */
export function writeReport(report: Report): void {
  const line = JSON.stringify({ ...report, seed: runSeed(), at: new Date().toISOString(), long: isLongRun() });
  mkdirSync(REPORTS, { recursive: true });
  const [kind = "chaos"] = ["hostile", "cluster"].filter((name) => report.what.startsWith(name + "-"));
  appendFileSync(join(REPORTS, kind + ".jsonl"), line + "\n");
  writeFileSync(join(REPORTS, report.what + ".json"), line + "\n");
  process.stdout.write(line + "\n");
}
