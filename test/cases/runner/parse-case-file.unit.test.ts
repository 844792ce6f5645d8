import { describe, expect, test } from "@jest/globals";
import { parseCaseFile } from "./parse-case-file.ts";

const HEAD = "operation: GET /workspaces/{id}\nrpc: workspace.v1.WorkspaceService/GetWorkspace\n";
const OK = "expect: { status: 200 }";
const refusal = (text: string) => () => parseCaseFile("a.yaml", text);

describe("parseCaseFile refuses", () => {
  test.each([
    ["", "a.yaml: must be a mapping, not empty"],
    ["[]", "a.yaml: must be a mapping, not a list"],
    ["opration: x", 'a.yaml: unknown key "opration"; known are operation, rpc, cases'],
    ["cases: []", "a.yaml: rpc: must be a text, not absent"],
    [`${HEAD}cases: []`, "a.yaml: has no cases"],
    [`${HEAD}cases: {}`, "a.yaml: cases: must be a list, not a mapping"],
  ])("%j", (text, message) => {
    expect(refusal(text)).toThrow(new Error(message));
  });

  test.each([
    [
      "nme: x",
      /^a\.yaml: cases\[0\]: unknown key "nme"; known are name, proves, given, as, headers, request, rest, only/,
    ],
    ["name: x", "a.yaml: cases[0]: needs a request"],
    ["request: {}, expect: { status: 200 }", "a.yaml: cases[0].name: must be a text, not absent"],
    [`name: x, request: [], ${OK}`, "a.yaml: cases[0].request: must be a mapping, not a list"],
    [`name: x, only: both, request: {}, ${OK}`, "a.yaml: cases[0].only: must be rest or rpc"],
    [`name: x, only: rest, ${OK}`, "a.yaml: cases[0]: needs rest or request"],
    [`name: x, rest: { method: GET, path: / }, ${OK}`, 'a.yaml: cases[0]: needs a request, or "only: rest" and rest'],
    [`name: x, only: rest, rest: { path: / }, ${OK}`, "a.yaml: cases[0].rest.method: must be a text, not absent"],
    [`name: x, request: {}, proves: [3.2], ${OK}`, "a.yaml: cases[0].proves[0]: must be a row as quoted text"],
    [
      `name: x, request: {}, given: [worspace: w], ${OK}`,
      'a.yaml: cases[0].given[0]: unknown step "worspace"; known are',
    ],
    [
      `name: x, request: {}, given: [{ team: t, to: w }], ${OK}`,
      'a.yaml: cases[0].given[0]: unknown key "to"; known are',
    ],
    [`name: x, request: {}, events: [1], ${OK}`, "a.yaml: cases[0].events[0]: must be a mapping, not a number"],
    [`name: x, request: {}, eventually: yes, ${OK}`, "a.yaml: cases[0].eventually: must be true or false"],
    ["name: x, request: {}", "a.yaml: cases[0].expect: must be a mapping, not absent"],
    [
      "name: x, request: {}, expect: { stauts: 200 }",
      'a.yaml: cases[0].expect: unknown key "stauts"; known are status',
    ],
    ["name: x, request: {}, expect: { status: ok }", "a.yaml: cases[0].expect.status: must be a number"],
    ["name: x, request: {}, expect: { status: 404 }", "a.yaml: cases[0].expect: a failure has error and code"],
    ["name: x, request: {}, expect: { status: 404, code: A }", "a.yaml: cases[0].expect: error and code go together"],
  ])("a case { %s }", (fields, message) => {
    expect(refusal(`${HEAD}cases: [{ ${fields} }]`)).toThrow(message);
  });

  test("a duplicate key or case", () => {
    expect(refusal(`${HEAD}rpc: other`)).toThrow("Map keys must be unique");
    const same = `{ name: x, request: {}, ${OK} }`;
    expect(refusal(`${HEAD}cases: [${same}, ${same}]`)).toThrow('a.yaml: two cases are named "x"');
  });
});

test("parseCaseFile fills in what a case omits", () => {
  const { cases, ...file } = parseCaseFile("a.yaml", `${HEAD}cases: [{ name: x, request: { id: $w }, ${OK} }]`);
  expect(file).toEqual({
    file: "a.yaml",
    operation: "GET /workspaces/{id}",
    rpc: "workspace.v1.WorkspaceService/GetWorkspace",
  });
  expect(cases).toMatchObject([
    { as: "orgAdmin", surfaces: ["rest", "rpc"], given: [], proves: [], log: "w", request: { id: "$w" } },
  ]);
  expect(cases[0]?.events).toBeUndefined();
});

test("parseCaseFile reads steps with their keys", () => {
  const steps = "[workspace: w, { design: d, in: second }, assign: { design: d, to: w }]";
  const { cases } = parseCaseFile("a.yaml", `${HEAD}cases: [{ name: x, given: ${steps}, request: {}, ${OK} }]`);
  expect(cases[0]?.given).toEqual([
    { kind: "workspace", value: "w", options: {} },
    { kind: "design", value: "d", options: { in: "second" } },
    { kind: "assign", value: { design: "d", to: "w" }, options: {} },
  ]);
});
