import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { isId, newId, parseMetadata, parseText, parseTextParameter } from "./values.ts";

test("ids increase, also within a millisecond", () => {
  const ids = Array.from({ length: 1_000 }, () => newId());
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every(isId)).toBe(true);
});

test.each([
  ["019a1c4e-7d2b-7f00-8a11-3c5d9e0f1a2b", true],
  ["019A1C4E-7D2B-7F00-8A11-3C5D9E0F1A2B", true],
  ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", true],
  ["00000000-0000-0000-0000-000000000000", true],
  ["ffffffff-ffff-ffff-ffff-ffffffffffff", true],
  ["019a1c4e-7d2b-9f00-8a11-3c5d9e0f1a2b", false],
  ["019a1c4e-7d2b-7f00-0a11-3c5d9e0f1a2b", false],
  ["019a1c4e7d2b7f008a113c5d9e0f1a2b", false],
  ["{019a1c4e-7d2b-7f00-8a11-3c5d9e0f1a2b}", false],
  ["019a1c4e-7d2b-7f00-8a11-3c5d9e0f1a2b\n", false],
  ["", false],
])("isId(%j) is %j", (text, isIt) => {
  expect(isId(text)).toBe(isIt);
});

test("a parameter's text has at most 255 characters, and the error names it", () => {
  expect(parseTextParameter("kind", "x".repeat(255))).toHaveLength(255);
  expect(() => parseTextParameter("kind", "x".repeat(256))).toThrow("kind must be at most 255 characters");
});

test("characters are code points, and U+0000 is removed", () => {
  const tooLong = () => new Error("too long");
  expect(parseText("\u{1f388}".repeat(255), tooLong)).toHaveLength(510);
  expect(() => parseText("\u{1f388}".repeat(256), tooLong)).toThrow("too long");
  expect(parseText("a\u0000b", tooLong)).toBe("ab");
});

test.each<[JsonObject | undefined, string]>([
  [undefined, "{}"],
  [{}, "{}"],
  [{ a: [1, null, true, { b: "\\u0000" }] }, '{"a":[1,null,true,{"b":"\\\\u0000"}]}'],
  [{ "k\u0000ey": "va\u0000lue" }, '{"key":"value"}'],
])("parseMetadata %j", (metadata, json) => {
  expect(parseMetadata(metadata)).toBe(json);
});

describe("parseMetadata accepts values up to the limit:", () => {
  // {"a":"…"} is 8 bytes and the text.
  const sized = (bytes: number) => ({ a: "x".repeat(bytes - 8) });
  const wide = (keys: number) => ({
    list: [Object.fromEntries(Array.from({ length: keys - 1 }, (_, index) => [String(index), 0]))],
  });
  const numbers = (count: number) => Array<number>(count).fill(1e308);
  const deep = (levels: number) => {
    let value: JsonValue = [];
    for (let level = 2; level < levels; level++) value = [value];
    return { a: value };
  };

  test.each<[string, JsonObject, JsonObject, string]>([
    ["64 KiB", sized(65_536), sized(65_537), "of at most 64 KiB"],
    ["64 KiB in UTF-8", { a: "é".repeat(32_764) }, { a: "é".repeat(32_765) }, "of at most 64 KiB"],
    ["64 KiB with numbers written out", { a: numbers(208) }, { a: numbers(209) }, "of at most 64 KiB"],
    ["1,000 keys in all its objects", wide(1_000), wide(1_001), "of at most 1,000 keys"],
    ["32 levels", deep(32), deep(33), "nested at most 32 deep"],
    ["32 levels of a million", deep(32), deep(1_000_000), "nested at most 32 deep"],
  ])("%s", (_case, max, over, limit) => {
    expect(JSON.parse(parseMetadata(max))).toEqual(max);
    expect(() => parseMetadata(over)).toThrow("metadata must be a JSON object " + limit);
  });
});

test.each<JsonObject>([{ half: "\ud800" }, { a: [{ b: "\udc00x" }] }, { "\ud800": 1 }])(
  "parseMetadata refuses half of a surrogate pair: %j",
  (metadata) => {
    expect(() => parseMetadata(metadata)).toThrow("metadata must be of valid Unicode");
  },
);

test.each([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN])("parseMetadata refuses %d", (value) => {
  expect(() => parseMetadata({ a: [value] })).toThrow(
    "metadata must be a JSON object of numbers that a double can hold",
  );
});
