import { reasonOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { describe, expect, test } from "@jest/globals";
import { assertDeletable, parseEnvironmentTexts } from "./rules.ts";

function reasonOfThrown(work: () => unknown): Reason | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

describe("parseEnvironmentTexts", () => {
  const longest = "😀".repeat(255);
  test.each([
    ["both empty", { name: "", description: "" }],
    ["255 characters, counted as code points", { name: longest, description: longest }],
  ])("%s", (_case, texts) => {
    expect(parseEnvironmentTexts(texts, "create")).toEqual(texts);
  });

  test.each([
    ["create", Reason.ENVIRONMENT_CREATE_FAILED],
    ["update", Reason.ENVIRONMENT_UPDATE_FAILED],
  ] as const)("refuses 256 characters on %s", (purpose, reason) => {
    const over = "x".repeat(256);
    expect(reasonOfThrown(() => parseEnvironmentTexts({ name: over, description: "" }, purpose))).toBe(reason);
    expect(reasonOfThrown(() => parseEnvironmentTexts({ name: "", description: over }, purpose))).toBe(reason);
  });
});

test("assertDeletable refuses platform-provisioned environments", () => {
  expect(reasonOfThrown(() => assertDeletable({ platform_provisioned: false }))).toBeUndefined();
  expect(reasonOfThrown(() => assertDeletable({ platform_provisioned: true }))).toBe(Reason.ENVIRONMENT_NOT_DELETABLE);
});
