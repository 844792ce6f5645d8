import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { locateJsonError } from "./locate-json-error.ts";
import { MAX_NESTING, parseJson } from "./parse-json.ts";

const parse = (text: string) => parseJson(Buffer.from(text));

describe("parseJson refuses", () => {
  test.each([
    ["", 0],
    [" ", 1],
    ["{", 1],
    ['{"a"', 4],
    ['{"a":1,}', 7],
    ["{a:1}", 1],
    ["[1 2]", 3],
    ["[1,]", 3],
    ["01", 1],
    ["tru", 0],
    ['"\n"', 0],
    ['"\\x"', 0],
    ["{} {}", 3],
    ["'a'", 0],
    ["NaN", 0],
    ['{"a":"b"]', 8],
  ])("%j at %i", (text, position) => {
    expect(() => parse(text)).toThrow(new TranscodingError("invalid-json", { position }));
    expect(() => parse(text)).toThrow(`request body is not valid JSON: position ${position}`);
  });

  test("bytes that are not UTF-8", () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(new Error("request body is not valid JSON"));
  });

  test("nesting deeper than 64, and no sooner", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(() => parse(nested(MAX_NESTING))).not.toThrow();
    expect(() => parse(nested(MAX_NESTING + 1))).toThrow("request body is not valid JSON: position 64");
    expect(() => parse("[".repeat(2 ** 20))).toThrow("request body is not valid JSON: position 64");
    expect(parse(JSON.stringify(`\\"${"[".repeat(100)}`))).toBe(`\\"${"[".repeat(100)}`);
  });
});

describe("parseJson refuses a key that is given twice", () => {
  test.each([
    ['{"a":1,"a":1}', "a"],
    ['{"a":null,"b":{},"a":null}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"":1,"":2}', ""],
    ['{"a":{"b":[0,{"c":1,"d":",\\"{","c":[]}]}}', "a.b[1].c"],
    ['[[{"a":1},{"a":1}],{"b":1 , "b" : 2}]', "[1].b"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    [`{"${"k".repeat(300)}":1,"${"k".repeat(300)}":2}`, "k".repeat(100)],
  ])("%j", (text, name) => {
    expect(() => parse(text)).toThrow(new Error(`${name} must be given once`));
  });

  test.each(['{"a":{"a":{"a":1}},"b":["a","a"]}', '[{"a":1},{"a":1}]', '{"a":"b","b":"a"}', '{"A":1,"a":1}'])(
    "and not %j",
    (text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
    },
  );
});

test("parses what JSON.parse parses, and locates an error in nothing else", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(parse(text)).toEqual(JSON.parse(text));
      expect(locateJsonError(text)).toBe(text.length);
    }),
  );
});

test("skips a byte order mark", () => {
  expect(parse("\ufeff{}")).toEqual({});
});
