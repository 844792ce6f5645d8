import { expect, test } from "@jest/globals";
import { metadataToJson } from "./metadata-to-json.ts";

test.each([
  [undefined, "{}"],
  [{}, "{}"],
  [{ a: [1, null, true, { b: "\\u0000" }] }, '{"a":[1,null,true,{"b":"\\\\u0000"}]}'],
  [{ "k\u0000ey": "va\u0000lue" }, '{"key":"value"}'],
  [{ half: "\ud800" }, '{"half":"\ufffd"}'],
])("metadataToJson %j", (metadata, json) => {
  expect(metadataToJson(metadata)).toBe(json);
});
