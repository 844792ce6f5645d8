import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { list } from "../test/documents.ts";

/**
 * The suites that no change may fail: a slow machine must not, either. What only a clock shows is a long or a fault
 * test.
 */
const GATE = "{bench,deploy,docs,gateway,packages,proto,services,test}/**/*.{unit,int,e2e,browser}.test.ts";
const THIS = "docs/lint/clock.unit.test.ts";

/** A limit in milliseconds below 30 s. */
const SHORT = String.raw`(?:\d{1,3}|[12]?\d_?\d{3})\b`;

/**
 * Patterns of lines that judge by the wall clock. A clock that a test moves is none: jest.spyOn(performance, "now").
 */
const RULES = [
  /\bperformance\.now\(|\bprocess\.(cpuUsage|hrtime)\b|process_cpu_seconds|\b(leastCpu|linearGrowth)\(/,
  /\bDate\.now\(\) -|- Date\.now\(\)/,
  /\bexpect\(.*(\w+Ms|\b(ms|seconds|took|elapsed)|[lL]atency|\bp(50|95|99)|[pP]ercentile|\bcpu\w*)\b.*\.toBe(Less|Greater)Than/,
  // The time after which `waitFor`, or a test, fails; not where it is seen to fail.
  new RegExp(String.raw`^(?!.*\.rejects)(.*\bwaitFor\(.*|.*\bconst \w+ = |\s*)\{? ?deadlineMs: ${SHORT}`),
  /^\s*\},? [12]?\d_000\);/,
];

const judgedByClock = (path: string, text: string) =>
  text
    .split("\n")
    .flatMap((line, index) => (RULES.some((rule) => rule.test(line)) ? [`${path}:${index + 1}: ${line.trim()}`] : []));

test("no test of the gate is judged by the wall clock", () => {
  const paths = list([GATE]).filter((path) => path !== THIS);
  expect(paths.length).toBeGreaterThan(200);
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  expect(paths.flatMap((path) => judgedByClock(path, read(path)))).toEqual([]);
});

test("control: lines that do are found, others are not", () => {
  const found = [
    "  expect(performance.now() - start).toBeLessThan(5_000);",
    "  const before = process.cpuUsage();",
    "  const base = await leastCpu(() => matchMany(few, 10));",
    "  const elapsed = Date.now() - startedAt;",
    "  expect(cpuMs).toBeLessThan(controlMs / 3);",
    "  expect(samples[0]?.ms).toBeGreaterThanOrEqual(90);",
    "  expect(Math.max(tookMs, 1)).toBeLessThan(10);",
    "  expect(refused.p99).toBeLessThanOrEqual(100);",
    "  await waitFor(() => isDone() || undefined, { deadlineMs: 5_000 });",
    "const SOON = { deadlineMs: 29_999 };",
    "      deadlineMs: 5000,",
    "}, 5_000);",
  ];
  const passed = [
    '  jest.spyOn(performance, "now").mockReturnValue(0);',
    "  await jest.advanceTimersByTimeAsync(50);",
    "const NOW = Date.now();",
    "  expect(rows.length).toBeLessThan(60);",
    "  expect(library.calls[0]?.timeoutMs).toBe(1_800);",
    '  await expect(waitFor(refuse, { deadlineMs: 20 })).rejects.toThrow("not yet");',
    "  await waitFor(() => isDone() || undefined, { deadlineMs: 30_000 });",
    "  await start({ deadlineMs: 1_234 });",
    "}, 60_000);",
    "}, 120_000);",
  ];
  const lines = judgedByClock("a.ts", [...found, ...passed].join("\n"));
  expect(lines).toEqual(found.map((line, index) => `a.ts:${index + 1}: ${line.trim()}`));
});
