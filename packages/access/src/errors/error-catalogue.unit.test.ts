import { readFileSync, writeFileSync } from "node:fs";
import { type Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";
import { describe, expect, test } from "@jest/globals";
import { CONTRACTED, RPC_CODES, SPECIFIED } from "../../test/promised-errors.ts";
import { renderErrorCatalogue, rpcCodeName } from "../../test/render-error-catalogue.ts";
import { codeOf, ruleOf } from "./fail.ts";

const PAGE = new URL("../../../../docs/errors.md", import.meta.url);
const catalogue = ReasonSchema.values.map(({ number }) => ({
  code: codeOf(number as Reason),
  ...ruleOf(number as Reason),
}));

test("docs/errors.md is the catalogue", () => {
  const rendered = renderErrorCatalogue();
  if (process.env["UPDATE_DOCS"] === "1") {
    writeFileSync(PAGE, rendered);
  }
  expect(readFileSync(PAGE, "utf8")).toBe(rendered);
  expect(rendered.match(/^\| `/gm)).toHaveLength(catalogue.length);
});

test("every reason has a unique code, a text, an RPC code and an error status", () => {
  expect(new Set(catalogue.map(({ code }) => code)).size).toBe(catalogue.length);
  for (const { code, message, rpcCode, httpStatus } of catalogue) {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(message).not.toBe("");
    expect(rpcCodeName(rpcCode)).toMatch(/^[A-Z_]+$/);
    expect(httpStatus).toBeGreaterThanOrEqual(400);
    expect(httpStatus).toBeLessThan(600);
  }
});

describe.each([
  ["the specification", SPECIFIED],
  ["the contract", CONTRACTED],
])("what %s promises", (_document, promised) => {
  test.each(promised)("%d %s", (status, text, ...code) => {
    const found = catalogue.filter(({ message, httpStatus }) => message === text && httpStatus === status);
    expect(found).toHaveLength(1);
    expect([found[0]?.code]).toEqual(code.length === 0 ? [expect.any(String)] : code);
  });
});

test.each(RPC_CODES)("%s is %s to RPC callers", (code, rpcCode) => {
  expect(rpcCodeName(catalogue.find((reason) => reason.code === code)?.rpcCode ?? 0)).toBe(rpcCode);
});
