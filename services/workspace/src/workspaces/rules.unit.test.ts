import { reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { describe, expect, test } from "@jest/globals";
import { assertNotLastWorkspace, assertUpdateNotEmpty, parseChanges, parseNewTexts } from "./rules.ts";

const LONG = "x".repeat(256);

function reasonFor(work: () => unknown): Reason | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

describe("parseNewTexts", () => {
  test.each([
    [{ name: LONG, description: "" }, Reason.WORKSPACE_CREATE_FAILED],
    [{ name: "", description: LONG }, Reason.WORKSPACE_CREATE_FAILED],
    [{ name: LONG.slice(1), description: LONG.slice(1) }, undefined],
    [{ name: "😀".repeat(255), description: "" }, undefined],
    [{ name: "😀".repeat(256), description: "" }, Reason.WORKSPACE_CREATE_FAILED],
  ])("%#", (texts, expected) => {
    expect(reasonFor(() => parseNewTexts(texts))).toBe(expected);
  });
});

describe("an update", () => {
  test("requires a field that can be updated", () => {
    expect(reasonFor(() => assertUpdateNotEmpty({}))).toBe(Reason.WORKSPACE_UPDATE_EMPTY);
    expect(reasonFor(() => assertUpdateNotEmpty({ name: "" }))).toBeUndefined();
    expect(reasonFor(() => assertUpdateNotEmpty({ description: "" }))).toBeUndefined();
    expect(reasonFor(() => assertUpdateNotEmpty({ metadata: {} }))).toBeUndefined();
  });

  test("omits fields that are not sent, and refuses texts that are too long", () => {
    expect(parseChanges({ name: "" })).toEqual({ name: "", description: undefined });
    expect(reasonFor(() => parseChanges({ description: LONG }))).toBe(Reason.WORKSPACE_UPDATE_FAILED);
  });
});

test.each([
  [0, Reason.LAST_WORKSPACE],
  [1, Reason.LAST_WORKSPACE],
  [2, undefined],
])("with %d live workspaces", (live, expected) => {
  expect(reasonFor(() => assertNotLastWorkspace(live))).toBe(expected);
});
