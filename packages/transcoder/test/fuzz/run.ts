/** Plays random requests; `--long` a million. Ends with 1 if one is served wrongly, or if memory grows. */
import fc from "fast-check";
import { createPlay } from "./play.ts";
import { fuzzed } from "./requests.ts";

const BATCH = 10_000;
const requests = process.argv.includes("--long") ? 1_000_000 : 50_000;
/** Megabytes by which the heap may grow from the first tenth to the end. */
const MAX_GROWTH = 32;

const play = createPlay();
const statuses = new Map<number, number>();
let calls = 0;
let slowest = 0;
let early = 0;

for (let played = 0; played < requests; played += BATCH) {
  const run = fc.asyncProperty(fuzzed, async (request) => {
    const before = performance.now();
    const { status, isBound, override } = await play(request);
    slowest = Math.max(slowest, performance.now() - before);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (isBound) calls++;
    if (override !== undefined || status >= 500) throw new Error(`${status}: overrides ${override}`);
  });
  await fc.assert(run, { numRuns: BATCH });
  if (played < requests / 10) early = heapMegabytes();
}

const growth = heapMegabytes() - early;
const counts = Object.fromEntries([...statuses].sort(([one], [other]) => one - other));
process.stdout.write(
  `${JSON.stringify({ requests, calls, slowestMs: Math.round(slowest), growthMb: growth, counts })}\n`,
);
if (growth > MAX_GROWTH) process.exitCode = 1;

function heapMegabytes(): number {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 2 ** 20);
}
