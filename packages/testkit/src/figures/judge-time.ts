import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { REPORTS } from "./figures.ts";

export interface Bound {
  /** The run and what was measured, such as "postgres-stops: ready again". */
  readonly what: string;
  /** Elapsed milliseconds, a percentile of them, or milliseconds of CPU. */
  readonly measuredMs: number;
  /** The promise, for a quiet machine. */
  readonly limitMs: number;
  /** The factor of `calibrated`. */
  readonly factor: number;
}

/**
 * Judges bounds in time, and records each with the factor and the verdict: "not judged" on a machine that is too slow.
 *
 * @throws Error that names each bound that does not hold
 */
export function judgeTime(...bounds: readonly Bound[]): void {
  for (const bound of bounds) noteJudgement({ ...bound, verdict: verdictOf(bound) });
  const failed = bounds.filter((bound) => !isInTime(bound)).map(describe);
  if (failed.length > 0) throw new Error(failed.join("\n"));
}

/** Returns whether a bound holds, or cannot be judged. */
export const isInTime = ({ measuredMs, limitMs, factor }: Bound): boolean =>
  factor > MAX_FACTOR || measuredMs <= limitMs * factor;

function verdictOf(bound: Bound) {
  if (bound.factor > MAX_FACTOR) return "not judged";
  return isInTime(bound) ? "held" : "failed";
}

function describe({ what, measuredMs, limitMs, factor }: Bound): string {
  const slower = factor === 1 ? "" : ` × ${factor}, as the machine was ${factor} times slower`;
  return `${what}: ${Math.round(measuredMs)} ms, at most ${Math.round(limitMs)}${slower}`;
}

/** Calibrates before and after a measurement. Returns its figures with the larger factor. */
export async function calibrated<T extends object>(
  measure: () => Promise<T>,
): Promise<T & { readonly factor: number }> {
  const before = await calibrate();
  const measured = await measure();
  return { ...measured, factor: Math.max(before, await calibrate()) };
}

/** Measures how long `work` takes, and how slow the machine is meanwhile: the figures of a `Bound`. */
export const timed = (work: () => Promise<unknown>): Promise<Pick<Bound, "measuredMs" | "factor">> =>
  calibrated(async () => {
    const began = performance.now();
    await work();
    return { measuredMs: performance.now() - began };
  });

/**
 * Returns a bound whose limit comes from a control of the same run, which was as slow: the factor only decides whether
 * it can be judged.
 */
export const byControl = (bound: Bound): Bound => ({ ...bound, limitMs: bound.limitMs / bound.factor });

/** Milliseconds of `work(ROUNDS)` on a quiet machine with two cores. */
const QUIET_MS = 110;
/** The factor above which a machine is too slow: a bound in time shows nothing on it. */
const MAX_FACTOR = 4;

/** Returns how many times slower this machine is now than a quiet one with two cores, at least 1. */
async function calibrate(): Promise<number> {
  await work(WARM_UP_ROUNDS);
  const began = performance.now();
  await work(ROUNDS);
  return Math.max(1, Math.round((10 * (performance.now() - began)) / QUIET_MS) / 10);
}

/** Does what tests wait for: processing, round trips over the loopback interface, and turns of the event loop. */
async function work(rounds: number): Promise<void> {
  const server = createServer((request, response) => request.pipe(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const block = new Uint8Array(1024 * 1024);
  for (let round = 0; round < rounds; round++) {
    const body = createHash("sha256").update(block).digest("hex");
    await (await fetch(url, { method: "POST", body })).text();
    for (let turn = 0; turn < TURNS; turn++) await nextTurn();
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const ROUNDS = 50;
/** The rounds before a calibration: code that runs for the first time is compiled. */
const WARM_UP_ROUNDS = 3;
const TURNS = 50;

/** The verdict about a bound in time. */
interface Judgement {
  readonly what: string;
  readonly measuredMs: number;
  readonly limitMs: number;
  /** The number of times that the machine was slower than a quiet one. */
  readonly factor: number;
  readonly verdict: "held" | "failed" | "not judged";
}

/** Begins a run of tests: all that this process and its children judge. Does nothing within another run. */
export function beginJudgements(): void {
  process.env[RUN] ??= `${process.pid}-${randomUUID()}`;
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

/** Appends a judgement to `reports/times.jsonl`. */
function noteJudgement(judgement: Judgement): void {
  mkdirSync(REPORTS, { recursive: true });
  const line = { ...judgement, at: new Date().toISOString(), run: process.env[RUN] };
  appendFileSync(FILE, JSON.stringify(line) + "\n");
}

const FILE = join(REPORTS, "times.jsonl");
/** The environment variable with the id of a run of tests, which begins with that of the process that began it. */
const RUN = "JUDGEMENTS_RUN";
