import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { readKept } from "./kept-figures.ts";
import { renderDocument } from "./write-document.ts";

// `npm run bench -- --document` writes both; a figure changed by hand in one of them is found here.
test("docs/performance.md and its plots show the figures of docs/performance/figures.json", () => {
  for (const [path, content] of renderDocument(readKept())) expect(readFileSync(path, "utf8")).toBe(content);
});
