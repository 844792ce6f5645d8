import { writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { readText } from "./documents.ts";
import { allVariables, renderTable, variablesOf } from "./settings-table.ts";

const PAGE = "docs/settings.md";
/** Between these lines of the page is the table of the variables that the first one names. */
const TABLE = /(<!-- settings: (.*?) -->\n)[\s\S]*?(<!-- end -->)/g;

const render = (page: string) =>
  page.replace(
    TABLE,
    (_all, begin: string, patterns: string, end: string) => `${begin}\n${renderTable(patterns.split(" "))}\n\n${end}`,
  );

test("docs/settings.md has the tables of what the programs read", () => {
  const page = readText(PAGE);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(new URL(`../../${PAGE}`, import.meta.url), render(page));
  expect(readText(PAGE)).toBe(render(page));
});

test("each variable of a program is in one table, and has a meaning", () => {
  const patterns = [...readText(PAGE).matchAll(TABLE)].flatMap(([, , names = ""]) => names.split(" "));
  const shown = variablesOf(patterns).map(({ name }) => name);
  expect(shown.sort()).toEqual(
    allVariables()
      .map(({ name }) => name)
      .sort(),
  );
  expect(allVariables().filter(({ type }) => (type.description ?? "").length < 10)).toEqual([]);
});
