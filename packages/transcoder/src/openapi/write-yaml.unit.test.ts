import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parse } from "yaml";
import type { OpenapiDocument } from "./document.ts";
import { toYaml } from "./write-yaml.ts";

const written = (value: unknown) => toYaml(value as OpenapiDocument);

test("writes blocks, and quotes what YAML would read as something else", () => {
  const value = { a: [{ b: "no", c: [] }, 1], "1st": "x: y", e: {}, f: null, g: "Plain, words.", h: [[true]] };
  expect(written(value)).toBe(
    'a:\n  - b: "no"\n    c: []\n  - 1\n"1st": "x: y"\ne: {}\nf: null\ng: Plain, words.\nh:\n  - - true\n',
  );
});

test("any JSON is read as it was written, as YAML 1.2 and 1.1", () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("y", "on", "1", "-", "<<", "a b", "__proto__x"));
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("yes", "null", "0x1", "a:b", "a #b", " a", "a ", "- a", "a,", "/x/{y}", "2026-01-01", ""),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(key, tie("json"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(json, (value) => {
      const text = written({ value });
      expect(parse(text)).toEqual({ value });
      expect(parse(text, { version: "1.1", merge: false })).toEqual({ value });
    }),
    { numRuns: 100 },
  );
});
