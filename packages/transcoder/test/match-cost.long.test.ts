import { expect, test } from "@jest/globals";
import type { RouteTable } from "../src/matching/route-table.ts";
import { cutTarget } from "../src/serving/serve.ts";
import { minCpu } from "../testing/index.ts";
import { exampleTable } from "./example-table.ts";

const MATCHES = 20_000;

const ruleOf = (index: number) => `GET /v1/{a=things${index}/*}/parts/{b}`;
const tableOf = (count: number) => exampleTable(Array.from({ length: count }, (_, index) => ruleOf(index)));

/** Matches paths of the first and the last route in turn. */
function matchMany(table: RouteTable, count: number): void {
  for (let match = 0; match < MATCHES; match++) {
    table.match("GET", cutTarget(`/v1/things${match % 2 === 0 ? 0 : count - 1}/abc/parts/def`));
  }
}

test("a match takes as long among 1,000 routes as among 10", async () => {
  const [few, many] = [tableOf(10), tableOf(1_000)];
  const base = await minCpu(() => matchMany(few, 10));
  const large = await minCpu(() => matchMany(many, 1_000));
  expect(large).toBeLessThan(3 * base + 10);
});

/**
 * Every template of `count` segments, each a literal or `*`, and then an end of its own: each match may branch
 * everywhere.
 */
const branchingTable = (count: number) =>
  exampleTable(
    Array.from({ length: 2 ** count }, (_, index) => {
      const segments = Array.from({ length: count }, (_, at) => (((index >> at) & 1) === 0 ? `l${at}` : "*"));
      return `GET /${segments.join("/")}/end${index}`;
    }),
  );
/** The end of the first template that a match tries, or of the last one: that of `*` only. */
const pathOf = (count: number, end: number) =>
  `/${Array.from({ length: count }, (_, at) => `l${at}`).join("/")}/end${end}`;
const [FEW, MANY] = [8, 11];

test.each([
  ["the first branch costs as little among 2,048 routes as among 256", () => 0, 3],
  // Eight times as many routes have eight times as many prefixes, and each is visited once.
  ["the last branch costs as much as there are routes", (count: number) => 2 ** count - 1, 3 * 2 ** (MANY - FEW)],
  ["no branch, too", () => -1, 3 * 2 ** (MANY - FEW)],
])("a match of %s", async (_name, end, max) => {
  const cpuOf = (count: number, suffix: string) => {
    const [table, target] = [branchingTable(count), cutTarget(pathOf(count, end(count)) + suffix)];
    return minCpu(() => {
      for (let match = 0; match < 400; match++) attempt(() => table.match("GET", target));
    });
  };
  const base = await cpuOf(FEW, "");
  expect(await cpuOf(MANY, "")).toBeLessThan(max * base + 10);
  // A colon before a verb that no route has doubles it.
  expect(await cpuOf(FEW, ":verb")).toBeLessThan(6 * Math.max(base, await cpuOf(FEW, "x")) + 10);
});

test("control: trying one route after the other takes longer among 1,000", async () => {
  const tables = Array.from({ length: 1_000 }, (_, index) => exampleTable([ruleOf(index)]));
  const target = cutTarget("/v1/things999/abc/parts/def");
  const tryAll = (count: number) => {
    for (let match = 0; match < 20; match++) {
      for (const table of tables.slice(-count)) attempt(() => table.match("GET", target));
    }
  };
  const base = await minCpu(() => tryAll(10));
  expect(await minCpu(() => tryAll(1_000))).toBeGreaterThan(3 * base + 10);
});

function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // The next one may match.
  }
}
