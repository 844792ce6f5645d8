import { expect, test } from "@jest/globals";
import { parseField } from "./parse-field.ts";

test("parseField names the field and what it accepts", () => {
  expect(parseField("kind", "x".repeat(255))).toHaveLength(255);
  expect(() => parseField("kind", "x".repeat(256))).toThrow("kind must be at most 255 characters");
});
