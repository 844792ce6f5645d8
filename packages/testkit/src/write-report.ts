import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isLongRun, runSeed } from "./run-figures.ts";

/** At the root of the project; ignored by git. */
export const REPORTS = fileURLToPath(new URL("../../../reports", import.meta.url));

export interface Report {
  /** The run, in kebab case, which is the name of its file. */
  readonly what: string;
  /** The row in the table of promises: of docs/reliability.md, or of docs/security.md for `hostile-…`. */
  readonly promise: number;
  /** Counts, latencies in milliseconds, and other measurements. */
  readonly [figure: string]: unknown;
}

/**
 * Prints a run's measurements and its seed as one line of JSON and stores it: appended to `reports/chaos.jsonl`, `hostile.jsonl` or `cluster.jsonl`, and as
 * `reports/<what>.json` in place of the last one.
 */
export function writeReport(report: Report): void {
  const line = JSON.stringify({ ...report, seed: runSeed(), at: new Date().toISOString(), long: isLongRun() });
  mkdirSync(REPORTS, { recursive: true });
  const [kind = "chaos"] = ["hostile", "cluster"].filter((name) => report.what.startsWith(name + "-"));
  appendFileSync(join(REPORTS, kind + ".jsonl"), line + "\n");
  writeFileSync(join(REPORTS, report.what + ".json"), line + "\n");
  process.stdout.write(line + "\n");
}
