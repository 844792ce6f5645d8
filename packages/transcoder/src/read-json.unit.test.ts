import { type DescMessage, fromJson, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { ApiSchema, FieldSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { CreateConnectionRequestSchema } from "@cloud/proto/environment/v1/connection_service_pb";
import { HttpRuleSchema } from "@cloud/proto/google/api/http_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import { describe, expect, test } from "@jest/globals";
import { readMessage } from "./read-json.ts";
import { scalarFromJson, scalarFromText } from "./read-scalar.ts";

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
    [ErrorInfoSchema, { metadata: [] }, "metadata must be a JSON object"],
    [ErrorInfoSchema, { metadata: { a: 1 } }, "metadata.a must be a string"],
    [FieldSchema, { number: 2 ** 31 }, "number must be a whole number from -2147483648 to 2147483647"],
    [FieldSchema, { number: 1.5 }, "number must be a whole number from -2147483648 to 2147483647"],
    [FieldSchema, { packed: "true" }, "packed must be true or false"],
    [
      FieldSchema,
      { cardinality: "MANY" },
      /^cardinality must be one of CARDINALITY_UNKNOWN, CARDINALITY_OPTIONAL, /.source,
    ],
    [WorkspaceSchema, { createdAt: "yesterday" }, "createdAt must be an RFC 3339 timestamp"],
    [CreateConnectionRequestSchema, { metadata: 1 }, "metadata must be a JSON object nested at most 32 deep"],
    [CreateConnectionRequestSchema, { metadata: nest(32) }, "metadata must be a JSON object nested at most 32 deep"],
  ])("%s %j", (schema, json, message) => {
    const expected = message.startsWith("^") ? new RegExp(message) : new Error(message);
    expect(() => readMessage(schema, json, "")).toThrow(expected);
  });

  test("JSON that passes can be read", () => {
    const json = {
      name: "a",
      methods: [{ name: "m", options: [] }],
      syntax: "SYNTAX_PROTO3",
      unknown: 1,
      version: null,
    };
    const read = readMessage(ApiSchema, json, "");
    expect(read).toEqual({ name: "a", methods: [{ name: "m", options: [] }], syntax: "SYNTAX_PROTO3" });
    expect(fromJson(ApiSchema, read).methods).toHaveLength(1);
    const deep = readMessage(CreateConnectionRequestSchema, { metadata: nest(31) }, "");
    expect(() => fromJson(CreateConnectionRequestSchema, deep)).not.toThrow();
    const wide = { metadata: { list: Array<number>(200_000).fill(0) } };
    expect(readMessage(CreateConnectionRequestSchema, wide, "")).toEqual(wide);
    expect(() => fromJson(StructSchema, JSON.parse('{"__proto__":{"polluted":true}}'))).not.toThrow();
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

describe("scalars", () => {
  test.each<[ScalarType, string, string]>([
    [ScalarType.UINT32, "-1", "x must be a whole number from 0 to 4294967295"],
    [ScalarType.UINT64, "-1", "x must be a whole number from 0"],
    [ScalarType.DOUBLE, "1e999", "x must be a number"],
    [ScalarType.FLOAT, "1e39", "x must be a number"],
    [ScalarType.DOUBLE, "", "x must be a number"],
    [ScalarType.BYTES, "?", "x must be base64"],
  ])("of type %s refuse %j", (type, text, message) => {
    expect(() => scalarFromText(type, text, "x")).toThrow(new Error(message));
  });

  test("a whole number accepts all its JSON spellings", () => {
    expect(scalarFromJson(ScalarType.INT64, 1e2, "x")).toBe("100");
    expect(scalarFromJson(ScalarType.INT64, "7", "x")).toBe("7");
    expect(scalarFromJson(ScalarType.INT64, 1e300, "x")).toBe("9223372036854775807");
    expect(scalarFromText(ScalarType.UINT64, "9".repeat(100_000), "x")).toBe("18446744073709551615");
    // In quadratic time, as by one expression with 0*, the refusal would take minutes.
    expect(() => scalarFromText(ScalarType.INT64, "0".repeat(1_000_000) + "x", "x")).toThrow(
      "x must be a whole number",
    );
    expect(scalarFromText(ScalarType.INT64, "0".repeat(1_000_000) + "7", "x")).toBe("7");
  });

  test("a number accepts all forms of proto3 JSON", () => {
    expect(scalarFromText(ScalarType.DOUBLE, "-1.5e3", "x")).toBe(-1500);
    expect(scalarFromJson(ScalarType.DOUBLE, "Infinity", "x")).toBe("Infinity");
  });
});
