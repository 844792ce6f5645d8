import { basename } from "node:path";
import { expect, test } from "@jest/globals";
import { list, readText } from "./documents.ts";

const decisions = list(["docs/adr/0*.md"]).sort();

test.each(decisions)("%s has its number, date and status", (path) => {
  const number = Number(basename(path).slice(0, 4));
  const status = /^(Proposed|Accepted|Superseded by ADR \d+) on \d{4}-\d\d-\d\d\.$/;
  const [title, , second] = readText(path).split("\n");
  expect(title).toMatch(new RegExp(`^# ${number}\\. `));
  expect(second).toMatch(status);
});

test("decisions are numbered without gaps, and docs/adr/README.md lists each with its title", () => {
  expect(decisions.map((path) => Number(basename(path).slice(0, 4)))).toEqual(decisions.map((_, index) => index + 1));
  const listed = readText("docs/adr/README.md").match(/^- .*$/gm);
  const expected = decisions.map((path) => `- [${readText(path).split("\n")[0]?.slice(2)}](${basename(path)})`);
  expect(listed).toEqual(expected);
});
