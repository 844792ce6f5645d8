import { type DescMessage, fromJson, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { ApiSchema, FieldSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { BookSchema, SearchRequestSchema } from "../../test/gen/library/v1/library_pb.ts";
import { BODY, placeIn } from "../binding/place.ts";
import { type BindingOptions, Reading } from "../binding/reading.ts";
import { HttpRuleSchema } from "../gen/google/api/http_pb.ts";
import { readMessage } from "./read-json.ts";
import { scalarFromJson, scalarFromText } from "./read-scalar.ts";

function read(schema: DescMessage, json: JsonValue, options: BindingOptions = {}) {
  const reading = new Reading(options);
  const value = readMessage(reading, schema, json, BODY);
  reading.assertSound();
  return value;
}

const nest = (depth: number): JsonValue => (depth === 0 ? {} : { a: nest(depth - 1) });

describe("readMessage reports the wrong field, and what it accepts", () => {
  test.each<[DescMessage, JsonValue, string]>([
    [HttpRuleSchema, { custom: 1 }, "custom must be a JSON object"],
    [HttpRuleSchema, { custom: { kind: 1 } }, "custom.kind must be a string"],
    [HttpRuleSchema, { additionalBindings: {} }, "additionalBindings must be an array"],
    [HttpRuleSchema, { additional_bindings: [{}, { get: [] }] }, "additionalBindings[1].get must be a string"],
    [HttpRuleSchema, { additionalBindings: [null] }, "additionalBindings[0] must be a JSON object"],
    [HttpRuleSchema, { get: "/a", put: "/b" }, "put must be left out where get is given"],
    [HttpRuleSchema, { responseBody: "a", response_body: "b" }, "responseBody must be given once"],
    [HttpRuleSchema, { responseBody: null, response_body: "b" }, "responseBody must be given once"],
    [BookSchema, { labels: [] }, "labels must be a JSON object"],
    [BookSchema, { labels: { a: 1 } }, "labels.a must be a string"],
    [SearchRequestSchema, { flags: { "1": 1 } }, "flags.1 must be true or false"],
    [SearchRequestSchema, { flags: { "1": true, "01": true } }, "flags.1 must be given once"],
    [SearchRequestSchema, { flags: { "1.0": true } }, "flags.1.0 must be left out: the keys are of type int32"],
    [FieldSchema, { number: 2 ** 31 }, "number must be a whole number from -2147483648 to 2147483647"],
    [FieldSchema, { number: 1.5 }, "number must be a whole number from -2147483648 to 2147483647"],
    [FieldSchema, { packed: "true" }, "packed must be true or false"],
    [
      FieldSchema,
      { cardinality: "MANY" },
      /^cardinality must be one of CARDINALITY_UNKNOWN, CARDINALITY_OPTIONAL, /.source,
    ],
    [SearchRequestSchema, { format: 1.5 }, "format must be one of FORMAT_UNSPECIFIED, FORMAT_PAPER, FORMAT_AUDIO"],
    [SearchRequestSchema, { after: "yesterday" }, "after must be an RFC 3339 timestamp"],
    [SearchRequestSchema, { extra: 1 }, "extra must be a JSON object nested at most 64 deep"],
    [SearchRequestSchema, { extra: nest(64) }, "extra must be a JSON object nested at most 64 deep"],
  ])("%s %j", (schema, json, message) => {
    const expected = message.startsWith("^") ? new RegExp(message) : new Error(message);
    expect(() => read(schema, json)).toThrow(expected);
  });

  test("JSON that passes can be read", () => {
    const json = {
      name: "a",
      methods: [{ name: "m", options: [] }],
      syntax: "SYNTAX_PROTO3",
      unknown: 1,
      version: null,
    };
    const checked = read(ApiSchema, json, { unknownFields: "ignore" });
    expect(checked).toEqual({ name: "a", methods: [{ name: "m", options: [] }], syntax: "SYNTAX_PROTO3" });
    expect(fromJson(ApiSchema, checked).methods).toHaveLength(1);
    const deep = read(SearchRequestSchema, { extra: nest(63) });
    expect(() => fromJson(SearchRequestSchema, deep)).not.toThrow();
    const wide = { extra: { list: Array<number>(200_000).fill(0) } };
    expect(read(SearchRequestSchema, wide)).toEqual(wide);
    expect(() => fromJson(StructSchema, JSON.parse('{"__proto__":{"polluted":true}}'))).not.toThrow();
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

describe("scalars", () => {
  const x = placeIn(BODY, "x", "x", {});
  const nearest = () => true;

  test.each<[ScalarType, string, string]>([
    [ScalarType.UINT32, "-1", "x must be a whole number from 0 to 4294967295"],
    [ScalarType.UINT64, "-1", "x must be a whole number from 0 to 18446744073709551615"],
    [ScalarType.UINT64, "100000000000000000000", "x must be a whole number from 0 to 18446744073709551615"],
    [ScalarType.UINT64, `1${"0".repeat(100_000)}`, "x must be a whole number from 0 to 18446744073709551615"],
    [ScalarType.DOUBLE, "1e999", "x must be a number"],
    [ScalarType.FLOAT, "1e39", "x must be a number"],
    [ScalarType.DOUBLE, "", "x must be a number"],
    [ScalarType.BYTES, "?", "x must be base64"],
  ])("of type %s refuse %.30j", (type, text, message) => {
    expect(() => scalarFromText(type, text, x)).toThrow(new Error(message));
  });

  test("a whole number accepts all its JSON spellings", () => {
    expect(scalarFromJson(ScalarType.INT64, 1e2, x)).toBe("100");
    expect(scalarFromJson(ScalarType.INT64, "7", x)).toBe("7");
    // In quadratic time, as by one expression with 0*, the refusal would take minutes.
    expect(() => scalarFromText(ScalarType.INT64, "0".repeat(1_000_000) + "x", x)).toThrow("x must be a whole number");
    expect(scalarFromText(ScalarType.INT64, "0".repeat(1_000_000) + "7", x)).toBe("7");
  });

  test("text of a whole number beyond its range becomes the nearest within it, where that is asked for", () => {
    expect(scalarFromText(ScalarType.UINT64, "9".repeat(100_000), x, nearest)).toBe("18446744073709551615");
    expect(scalarFromText(ScalarType.INT32, "-2147483649", x, nearest)).toBe("-2147483648");
    expect(() => scalarFromText(ScalarType.UINT64, "-1", x, nearest)).toThrow(
      new Error("x must be a whole number from 0"),
    );
  });

  test("a number accepts all forms of proto3 JSON", () => {
    expect(scalarFromText(ScalarType.DOUBLE, "-1.5e3", x)).toBe(-1500);
    expect(scalarFromJson(ScalarType.DOUBLE, "Infinity", x)).toBe("Infinity");
    expect(scalarFromJson(ScalarType.DOUBLE, -0, x)).toBe(-0);
    expect(() => scalarFromJson(ScalarType.DOUBLE, JSON.parse("1e999"), x)).toThrow(new Error("x must be a number"));
  });
});
