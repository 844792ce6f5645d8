import { expect, test } from "@jest/globals";
import { documents, readText } from "./documents.ts";

/** Reads the rank of each kind of row from docs/lock-order.md; kinds of one rank are never locked together. */
function readRanks(): ReadonlyMap<string, number> {
  const [, order = ""] = /^ {4}(organization -> [\s\S]*?)\n\n/m.exec(readText("docs/lock-order.md")) ?? [];
  const steps = order.replace(/\([^)]*\)/g, "").split("->");
  return new Map(steps.flatMap((step, rank) => step.split(/[|,]/).map((kind) => [kind.trim(), rank] as const)));
}

/** The orders that other pages state: "Locks, always in this order: organization, credential, …". */
const stated = documents.flatMap(({ path, text }) =>
  [...text.matchAll(/\b[Ll]ocks\b[^.:]*?\border:? (organization[^.]*)\./g)].map(([, order = ""]) => ({
    path,
    kinds: order
      .split(/,|→|->|\n/)
      .map((kind) => kind.trim().replace(/^(workspace|team|environment) reference$/, "reference")),
  })),
);

test("the pages that state an order of locks are found", () => {
  expect(stated.map(({ path }) => path)).toEqual(["services/environment/README.md", "services/identity/README.md"]);
});

test.each(stated)("$path states the order of docs/lock-order.md", ({ kinds }) => {
  const ranks = readRanks();
  const order = kinds.map((kind) => ranks.get(kind) ?? `no such kind: ${kind}`);
  expect(order).toEqual([...order].sort((one, other) => Number(one) - Number(other)));
});
