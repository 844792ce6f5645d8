import { expect, test } from "@jest/globals";
import { metadataToJson, parseField } from "./texts.ts";

test("parseField names the field and what it accepts", () => {
  expect(parseField("kind", "x".repeat(255))).toHaveLength(255);
  expect(() => parseField("kind", "x".repeat(256))).toThrow("kind must be at most 255 characters");
});

test.each([
  [undefined, "{}"],
  [{}, "{}"],
  [{ a: [1, null, true, { b: "\\u0000" }] }, '{"a":[1,null,true,{"b":"\\\\u0000"}]}'],
  [{ "k\u0000ey": "va\u0000lue" }, '{"key":"value"}'],
  [{ half: "\ud800" }, '{"half":"\ufffd"}'],
])("metadataToJson %j", (metadata, json) => {
  expect(metadataToJson(metadata)).toBe(json);
});
