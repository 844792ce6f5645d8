import { expect, test } from "@jest/globals";
import { list, readText } from "../test/documents.ts";

/** Words that begin a comment which cannot be read by itself: its noun is in the line below, or in the one above. */
const OPENINGS = "(?:Of|Those|That|What|One|Such|Its)\\b";

const PHRASES = /\b(?:those of|those that|of which)\b/;

/** Applied migrations and what is rendered from them cannot change; the changelog and the specification are quoted. */
const EXEMPT =
  /\/migrations\/|\/schema\.sql$|^CHANGELOG\.md$|^docs\/specification-coverage\.md$|^docs\/lint\/comments\.unit/;

function refusedIn(path: string, text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? "";
    const opensDoc = /^\s*\/\*\*\s*$/.test(before) && new RegExp(`^\\s*\\* ${OPENINGS}`).test(line);
    const opensOneLine = new RegExp(`/\\*\\* ${OPENINGS}`).test(line);
    const opensLineComment = !/^\s*\/\//.test(before) && new RegExp(`(?:^|\\s)// ${OPENINGS}`).test(line);
    const isRefused = opensDoc || opensOneLine || opensLineComment || PHRASES.test(line);
    return isRefused ? [`${path}:${index + 1}: ${line.trim()}`] : [];
  });
}

test("every comment can be read by itself", () => {
  const paths = list(["*.md", "{packages,services,gateway,test,bench,deploy,docs}/**/*.{ts,md,sql}"]);
  const found = paths.filter((path) => !EXEMPT.test(path)).flatMap((path) => refusedIn(path, readText(path)));
  expect(found).toEqual([]);
});

test("a comment without its noun is found, and one that goes on is not", () => {
  const planted = [
    "/** Of every reply. */",
    "/**",
    " * What it has.",
    " */",
    "x; // Those",
    "y;",
    "// Limits,",
    "// That is enough.",
  ];
  expect(refusedIn("planted.ts", planted.join("\n"))).toEqual([
    "planted.ts:1: /** Of every reply. */",
    "planted.ts:3: * What it has.",
    "planted.ts:5: x; // Those",
  ]);
});
