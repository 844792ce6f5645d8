import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { olderParts, readKept } from "./kept-figures.ts";
import { renderDocument } from "./write-document.ts";

// `npm run bench -- --document` writes the page, its plots, and which figures are older than their code. A figure that
// was changed by hand in one place is found here, and one that the page shows as current although its code is not.
test("docs/performance.md and its plots show the figures of docs/performance/figures.json", () => {
  for (const [path, content] of renderDocument(readKept())) expect(readFileSync(path, "utf8")).toBe(content);
});

test("the page says which figures are older than the code that they describe: npm run bench -- --document", () => {
  const { figures, older } = readKept();
  expect(older).toEqual(olderParts(figures));
});

test("a part whose sources have changed is older", () => {
  const [figure] = readKept().figures;
  expect(olderParts(figure === undefined ? [] : [{ ...figure, code: "of-another-commit" }])).toEqual([figure?.part]);
});
