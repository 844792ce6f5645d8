import { expect, test } from "@jest/globals";
import { readText } from "./documents.ts";

test("docs/reliability.md names the promises whose runs have no control", () => {
  const page = readText("docs/reliability.md");
  const rows = [...page.matchAll(/^\| (\d+) \|.*$/gm)].map(([row, number]) => ({ number, cells: row.split(" | ") }));
  const [, named = ""] = /the runs of promises ([\d, and]+) have none/.exec(page) ?? [];
  const without = rows.filter(({ cells }) => cells[3] === "–").map(({ number }) => number);
  expect(without.length).toBeGreaterThan(0);
  expect(named.split(/, | and /)).toEqual(without);
});
