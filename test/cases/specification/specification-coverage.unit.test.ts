import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { deriveRestRequest } from "../runner/derive-rest-request.ts";
import { findMethod } from "../runner/find-method.ts";
import { type CaseFile, readCaseFiles } from "../runner/index.ts";
import { type Excuses, findGaps, type Proof, readCoveredRows, renderCoverage } from "./specification-coverage.ts";
import { numberRows } from "./specification-rows.ts";

const PAGE = new URL("../../../docs/specification-coverage.md", import.meta.url);
const SPECIFICATION = new URL("../../../../shared/spec/service-specification.md", import.meta.url);
const read = (file: URL) => readFileSync(file, "utf8");

// A file that cannot be read is reported by the test that plays it.
const files = readCaseFiles().filter((file): file is CaseFile => !("refused" in file));
const proofs: Proof[] = files.flatMap(({ file, cases }) => cases.map(({ name, proves }) => ({ file, name, proves })));
const excuses = parse(read(new URL("rows-without-a-case.yaml", import.meta.url))) as Excuses;
const rows = existsSync(SPECIFICATION) ? numberRows(read(SPECIFICATION)) : readCoveredRows(read(PAGE));

test("every row of the specification has a case, or a reason why no request can prove it", () => {
  expect(findGaps(rows, proofs, excuses)).toEqual([]);
});

test("docs/specification-coverage.md is up to date", () => {
  const page = renderCoverage(rows, proofs, excuses);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(PAGE, page);
  expect(read(PAGE)).toBe(page);
});

test("every operation of section 4 has a file, and every file plays the operation that it names", () => {
  const operations = rows.flatMap(({ row, text }) => {
    const [, method, path] = /^(GET|POST|PUT|DELETE) · `(\/[^`]+)`/.exec(text) ?? [];
    return row.startsWith("4.") && method !== undefined ? [`${method} ${path}`] : [];
  });
  expect(operations).toHaveLength(29);
  const played = files.map(({ operation }) => operation);
  expect(operations.filter((operation) => !played.includes(operation))).toEqual([]);
  const others = files.filter(
    ({ operation, rpc }) => operation !== operationOf(rpc) && operation !== "every operation",
  );
  expect(others.map(({ file }) => file)).toEqual([]);
});

/** Returns `GET /workspaces/{id}` for `workspace.v1.WorkspaceService/GetWorkspace`; the RPC if it has no REST form. */
function operationOf(rpc: string): string {
  const found = findMethod(rpc);
  if (found.rule === undefined) return rpc;
  const names = Object.fromEntries(found.desc.input.fields.map(({ jsonName }) => [jsonName, `{${jsonName}}`]));
  const { method, path } = deriveRestRequest(found, names);
  return `${method} ${decodeURIComponent(path.replace(/\?.*/, ""))}`;
}

describe("findGaps reports", () => {
  const two = [
    { row: "1.1", text: "One" },
    { row: "1.2", text: "Two" },
  ];
  const proof = (...proves: string[]) => ({ file: "a.yaml", name: "n", proves });

  test.each<[Proof[], Excuses, string[]]>([
    [[], {}, ["1.1 has no case: One", "1.2 has no case: Two"]],
    [[proof("1.1")], {}, ["1.2 has no case: Two"]],
    [[proof("1.1", "1.2", "1.3")], {}, ["a.yaml › n proves 1.3, which is no row"]],
    [[proof("1.1", "1.2")], { "9.9": "why" }, ["9.9 is excused and is no row"]],
    [[proof("1.1", "1.2")], { "1.2": "why" }, ["1.2 is excused and has a case all the same"]],
    [[proof("1.1")], { "1.2": "why" }, []],
  ])("%j with %j", (some, reasons, gaps) => {
    expect(findGaps(two, some, reasons)).toEqual(gaps);
  });

  test("and the rows are read back from the page rendered from them", () => {
    expect(readCoveredRows(renderCoverage(two, [proof("1.1")], { "1.2": "why" }))).toEqual(two);
  });
});

test("numberRows counts table bodies and list items through the parts of a section", () => {
  const text = [
    "- before any section",
    "## 1. First",
    "Prose | with a bar",
    "- a **bullet**",
    "| Head | er |",
    "| --- | --- |",
    "| `x` | y |",
    "### Part",
    "2. numbered",
    "   - nested",
    "## 2. Second",
    "| Head |",
    "| --- |",
    "| only |",
  ];
  expect(numberRows(text.join("\n"))).toEqual([
    { row: "1.1", text: "a **bullet**" },
    { row: "1.2", text: "`x` · y" },
    { row: "1.3", text: "numbered" },
    { row: "1.4", text: "nested" },
    { row: "2.1", text: "only" },
  ]);
});
