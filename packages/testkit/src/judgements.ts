import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPORTS } from "./write-report.ts";

/** What was found about a bound in time. */
export interface Judgement {
  readonly what: string;
  readonly measuredMs: number;
  readonly limitMs: number;
  /** How many times slower the machine was than a quiet one. */
  readonly factor: number;
  readonly verdict: "held" | "failed" | "not judged";
}

const FILE = join(REPORTS, "times.jsonl");
/** The environment variable with the id of a run of tests, which begins with that of the process that began it. */
const RUN = "JUDGEMENTS_RUN";

/** Begins a run of tests: all that this process and its children judge. Does nothing within another run. */
export function beginJudgements(): void {
  process.env[RUN] ??= `${process.pid}-${randomUUID()}`;
}

/** Appends a judgement to `reports/times.jsonl`. */
export function noteJudgement(judgement: Judgement): void {
  mkdirSync(REPORTS, { recursive: true });
  const line = { ...judgement, at: new Date().toISOString(), run: process.env[RUN] };
  appendFileSync(FILE, JSON.stringify(line) + "\n");
}

/** Prints the bounds that the run could not judge, in the process that began it. Returns their number. */
export function printNotJudged(): number {
  const run = process.env[RUN];
  if (run?.startsWith(`${process.pid}-`) !== true || !existsSync(FILE)) return 0;
  const lines = readFileSync(FILE, "utf8").split("\n").filter(Boolean);
  const judgements = lines.map((line) => JSON.parse(line) as Judgement & { readonly run?: string });
  const open = judgements.filter((one) => one.run === run && one.verdict === "not judged");
  for (const { what, measuredMs, limitMs, factor } of open) {
    const figures = `${Math.round(measuredMs)} ms, at most ${Math.round(limitMs)} on a quiet machine`;
    process.stdout.write(`not judged, the machine was ${factor} times slower: ${what}: ${figures}\n`);
  }
  return open.length;
}
