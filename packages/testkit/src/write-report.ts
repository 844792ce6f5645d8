import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isLongRun, runSeed } from "./run-figures.ts";

/** At the top of the project; ignored by git. */
const REPORTS = fileURLToPath(new URL("../../../reports", import.meta.url));

export interface Report {
  /** The run, in kebab case: the name of its file. */
  readonly what: string;
  /** The row of the table of promises in docs/reliability.md. */
  readonly promise: number;
  /** Counts, latencies in milliseconds, and whatever else was measured. */
  readonly [figure: string]: unknown;
}

/**
 * Prints what a run measured, with its seed, as one line of JSON and keeps it: in `reports/chaos.jsonl` with all before it, and as
 * `reports/<what>.json` in place of the last one.
 */
export function writeReport(report: Report): void {
  const line = JSON.stringify({ ...report, seed: runSeed(), at: new Date().toISOString(), long: isLongRun() });
  mkdirSync(REPORTS, { recursive: true });
  appendFileSync(join(REPORTS, "chaos.jsonl"), line + "\n");
  writeFileSync(join(REPORTS, report.what + ".json"), line + "\n");
  process.stdout.write(line + "\n");
}
