import { expect, test } from "@jest/globals";
import { documents, readText } from "./documents.ts";
import { limitRows, missingDefaults, unfoundFigures, wrongDefaults } from "./figures.ts";

const rows = ["docs/limits.md", "docs/time-limits.md"].flatMap((path) => limitRows(readText(path)));

test("each limit names the file or the setting that has it", () => {
  const without = rows.filter(({ files, settings }) => files.length + settings.length === 0);
  expect(without.map(({ limit }) => limit)).toEqual(["Body of a REST request"]);
});

test.each(rows)("$limit: has the figures of that file, or the default of that setting", (row) => {
  expect(row.files.length > 0 ? unfoundFigures(row) : []).toEqual([]);
  expect(missingDefaults(row)).toEqual([]);
});

test("each default in parentheses behind a setting is that of the programs", () => {
  const wrong = documents.map(({ path, text }) => ({ path, names: wrongDefaults(text) }));
  expect(wrong.filter(({ names }) => names.length > 0)).toEqual([]);
  expect(wrongDefaults("`HEAVY_READS` (3), `HEAVY_READS_PER_ORGANIZATION` (2)")).toEqual([
    "HEAVY_READS_PER_ORGANIZATION: 2",
  ]);
});

test("figures that the code does not have are reported", () => {
  const [row] = limitRows(
    "| Limit | Value | Where |\n| --- | --- | --- |\n" +
      "| Statements; a pause over HTTP/2 | 3 s; 7 s (or 8), 4 MiB | `packages/postgres/src/connection-settings.ts`, `MAX_CONNECTIONS` |",
  );
  if (row === undefined) throw new Error("the table has no row");
  expect(unfoundFigures(row)).toEqual(["7 s", "4 MiB"]);
  expect(missingDefaults(row)).toContain("MAX_CONNECTIONS=4096");
});
