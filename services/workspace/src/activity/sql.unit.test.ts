import { newId } from "@cloud/access/values";
import { expect, test } from "@jest/globals";
import { workspaceActivity } from "./describe-activity.ts";
import { truncateActivity } from "./sql.ts";

const activity = workspaceActivity("update", { id: newId(), organization_id: newId() }, newId());

test.each<[string, string, string]>([
  ["an id", activity.workspaceId, activity.workspaceId],
  ["1.5 million characters", "x".repeat(1_500_000), "x".repeat(64)],
  ["U+0000", "a\u0000b", "ab"],
  ["only U+0000", "\u0000".repeat(100), ""],
  ["characters of two units", "😀".repeat(100), "😀".repeat(64)],
  ["a pair that is cut", `x${"😀".repeat(100)}`, `x${"😀".repeat(63)}`],
  ["half a pair", "\ud83d", "\ufffd"],
])("cuts %s", (_case, actedUpon, stored) => {
  expect(truncateActivity({ ...activity, actedUpon }).actedUpon).toBe(stored);
});

test("a line at all its limits is below the 960 bytes of the table", () => {
  const long = "😀".repeat(1_000);
  const { owner, actedUpon, description, metadata } = truncateActivity({
    ...activity,
    owner: newId(),
    actedUpon: long,
    description: long,
    metadata: { code: "ENVIRONMENT_ASSIGNMENT_NOT_FOUND", error: long },
  });
  const texts = [owner, actedUpon, description, "environment", JSON.stringify(metadata)];
  expect(Buffer.byteLength(texts.join(""))).toBeLessThanOrEqual(900);
  expect(description).toBe("😀".repeat(64));
});
