import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { list } from "../test/documents.ts";

/** Words that are never right in a comment, a name or a page here; CONTRIBUTING.md, "Words", names the right ones. */
const REFUSED =
  /\b(anybody|everybody|somebody|for ever|anew|hears|tells|(is|are) told|as good as|lets go|takes away|took away)\b/i;

/** Pages that name the words, or quote the specification. */
const EXEMPT = new Set(["CONTRIBUTING.md", "docs/lint/words.unit.test.ts", "docs/specification-coverage.md"]);
/** The folder of files that are copied unchanged from their owners. */
const VENDOR = "proto/vendor/";

const refusedLines = (path: string, text: string) =>
  text.split("\n").flatMap((line, index) => (REFUSED.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));

test("no source and no page uses a refused word", () => {
  const paths = list(["*.md", "{packages,services,gateway,test,deploy,docs,proto}/**/*.{ts,md,proto,sql,yaml}"]);
  const found = paths
    .filter((path) => !EXEMPT.has(path) && !path.startsWith(VENDOR))
    .flatMap((path) => refusedLines(path, readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")));
  expect(found).toEqual([]);
});

test("a planted line is found", () => {
  expect(refusedLines("planted.ts", "// fine\n// Everybody waits for ever.")).toEqual([
    "planted.ts:2: // Everybody waits for ever.",
  ]);
});
