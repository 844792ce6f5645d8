import { type DescField, type DescMessage, type DescMethodUnary, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { bindRequest } from "../src/binding/bind-request.ts";
import { parseJsonText } from "../src/json-in/parse-json.ts";
import type { Route } from "../src/rules/route.ts";
import { compiledType, everyKind } from "./every-kind.ts";
import { SearchRequestSchema } from "./gen/library/v1/library_pb.ts";
import { libraryRoutes } from "./library.ts";
import { ruleFor } from "./routes.ts";

const [inBody, inQuery, inPath] = ["POST /search", "GET /search", "GET /search/{count}"].map(
  (rule) => libraryRoutes({ Search: ruleFor(rule, rule.startsWith("POST") ? { body: "*" } : {}) })[0],
) as [Route, Route, Route];

/** Binds a request to a message of any type, and returns its JSON. */
function bind(route: Route, input: DescMessage, parts: Partial<Parameters<typeof bindRequest>[1]>, to?: DescField) {
  const method = { ...route.method, input } as DescMethodUnary;
  const variables = to === undefined ? [] : [[to]];
  const message = bindRequest({ ...route, method, variables }, { values: [], query: "", body: undefined, ...parts });
  return toJson(input, message);
}

/** Returns what a field becomes of its JSON in a body; `undefined` if it is refused. */
function ofBody(field: DescField, json: string): unknown {
  const { parent, jsonName } = field;
  return attempt(() => bind(inBody, parent, { body: parseJsonText(`{"${jsonName}":${json}}`) }), jsonName);
}

/** The same of its text in a query, and in a path. */
function ofText(field: DescField, text: string): unknown[] {
  const { parent, jsonName } = field;
  const given = encodeURIComponent(text);
  const query = attempt(() => bind(inQuery, parent, { query: `${jsonName}=${given}` }), jsonName);
  if (field.fieldKind !== "scalar") return [query];
  return [query, attempt(() => bind(inPath, parent, { values: [text] }, field), jsonName)];
}

function attempt(read: () => unknown, name: string): unknown {
  try {
    return (read() as Record<string, unknown>)[name] ?? "absent";
  } catch {
    return undefined;
  }
}

function fieldOf(type: DescMessage, name: string): DescField {
  return type.fields.find((field) => field.name === name) as DescField;
}
const scalar = (type: number) => fieldOf(compiledType, `one_${type}`);
const ownOf = (typeName: string) =>
  everyKind.flatMap(({ fields }) => fields).find((field) => field.message?.typeName === typeName) as DescField;

/** By the names of FieldDescriptorProto.Type. */
const FIELDS = {
  INT32: scalar(5),
  UINT32: scalar(13),
  INT64: scalar(3),
  UINT64: scalar(4),
  SINT32: scalar(17),
  SINT64: scalar(18),
  FIXED32: scalar(7),
  FIXED64: scalar(6),
  SFIXED32: scalar(15),
  SFIXED64: scalar(16),
  FLOAT: scalar(2),
  DOUBLE: scalar(1),
  ENUM: fieldOf(compiledType, "enum_0"),
  Int64Value: ownOf("google.protobuf.Int64Value"),
  UInt32Value: ownOf("google.protobuf.UInt32Value"),
  FloatValue: ownOf("google.protobuf.FloatValue"),
};
type Kind = keyof typeof FIELDS;

// binary_json_conformance_suite.cc of protocolbuffers/protobuf, by the names of its tests.
const PUBLISHED: [name: string, field: Kind, json: string, becomes: unknown][] = [
  ["Int32FieldMaxValue", "INT32", "2147483647", 2147483647],
  ["Int32FieldMinValue", "INT32", "-2147483648", -2147483648],
  ["Uint32FieldMaxValue", "UINT32", "4294967295", 4294967295],
  ["Int64FieldMaxValue", "INT64", '"9223372036854775807"', "9223372036854775807"],
  ["Int64FieldMinValue", "INT64", '"-9223372036854775808"', "-9223372036854775808"],
  ["Uint64FieldMaxValue", "UINT64", '"18446744073709551615"', "18446744073709551615"],
  ["Int64FieldMaxValueNotQuoted", "INT64", "9223372036854774784", "9223372036854774784"],
  ["Int64FieldMinValueNotQuoted", "INT64", "-9223372036854775808", "-9223372036854775808"],
  ["Uint64FieldMaxValueNotQuoted", "UINT64", "18446744073709549568", "18446744073709549568"],
  ["Int32FieldStringValue", "INT32", '"2147483647"', 2147483647],
  ["Int32FieldStringValueEscaped", "INT32", '"2\\u003147483647"', 2147483647],
  ["Int32FieldStringValueZero", "INT32", '"0"', "absent"],
  ["Int32FieldQuotedExponentialValue", "INT32", '"1e5"', 100000],
  ["Int32FieldTooLarge", "INT32", "2147483648", undefined],
  ["Int32FieldTooSmall", "INT32", "-2147483649", undefined],
  ["Uint32FieldTooLarge", "UINT32", "4294967296", undefined],
  ["Int64FieldTooLarge", "INT64", '"9223372036854775808"', undefined],
  ["Int64FieldTooSmall", "INT64", '"-9223372036854775809"', undefined],
  ["Uint64FieldTooLarge", "UINT64", '"18446744073709551616"', undefined],
  ["Uint64QuotedExponentFieldTooLarge", "UINT64", '"1e536870000"', undefined],
  ["Int32FieldNotInteger", "INT32", "0.5", undefined],
  ["Uint32FieldNotInteger", "UINT32", "0.5", undefined],
  ["Int64FieldNotInteger", "INT64", '"0.5"', undefined],
  ["Uint64FieldNotInteger", "UINT64", '"0.5"', undefined],
  ["Int32FieldTrueValue", "INT32", "true", undefined],
  ["Int32FieldStringValuePartiallyNumeric", "INT32", '"12abc"', undefined],
  ["Int32FieldStringValuePartiallyNumericSpace", "INT32", '"12 34"', undefined],
  ["Int32FieldStringValuePartiallyNumericComma", "INT32", '"12,34"', undefined],
  ["Int32FieldStringValueNonNumeric", "INT32", '"abc"', undefined],
  ["Int32FieldEmptyString", "INT32", '""', undefined],
  ["Int32FieldFloatTrailingZero", "INT32", "100000.000", 100000],
  ["Int32FieldExponentialFormat", "INT32", "1e5", 100000],
  ["Int32FieldMaxFloatValue", "INT32", "2.147483647e9", 2147483647],
  ["Int32FieldMinFloatValue", "INT32", "-2.147483648e9", -2147483648],
  ["Uint32FieldMaxFloatValue", "UINT32", "4.294967295e9", 4294967295],
  ["Int32FieldNotNumber", "INT32", '"3x3"', undefined],
  ["Int32FieldPlusSign", "INT32", "+1", undefined],
  ["Int32FieldLeadingZero", "INT32", "01", undefined],
  ["Int32FieldNegativeWithLeadingZero", "INT32", "-01", undefined],
  ["Int32FieldLeadingSpace", "INT32", '" 1"', undefined],
  ["Int32FieldTrailingSpace", "INT32", '"1 "', undefined],
  ["FloatFieldMaxPositiveValue", "FLOAT", "3.402823e+38", 3.402823e38],
  ["FloatFieldMinNegativeValue", "FLOAT", "-3.402823e+38", -3.402823e38],
  ["FloatFieldQuotedValue", "FLOAT", '"1"', 1],
  ["FloatFieldQuotedExponentialValue", "FLOAT", '"1.175494e-38"', 1.175494e-38],
  ["FloatFieldNan", "FLOAT", '"NaN"', "NaN"],
  ["FloatFieldInfinity", "FLOAT", '"Infinity"', "Infinity"],
  ["FloatFieldNegativeInfinity", "FLOAT", '"-Infinity"', "-Infinity"],
  ["FloatFieldNanNotQuoted", "FLOAT", "NaN", undefined],
  ["FloatFieldInfinityNotQuoted", "FLOAT", "Infinity", undefined],
  ["FloatFieldTooSmall", "FLOAT", "-3.502823e+38", undefined],
  ["FloatFieldTooLarge", "FLOAT", "3.502823e+38", undefined],
  ["FloatFieldEmptyString", "FLOAT", '""', undefined],
  ["FloatFieldStringValuePartiallyNumeric", "FLOAT", '"12abc"', undefined],
  ["DoubleFieldMaxPositiveValue", "DOUBLE", "1.79769e+308", 1.79769e308],
  ["DoubleFieldQuotedValue", "DOUBLE", '"1"', 1],
  ["DoubleFieldQuotedExponentialValue", "DOUBLE", '"2.22507e-308"', 2.22507e-308],
  ["DoubleFieldTooSmall", "DOUBLE", "-1.89769e+308", undefined],
  ["DoubleFieldTooLarge", "DOUBLE", "1.89769e+308", undefined],
  ["EnumFieldNumericValueZero", "ENUM", "0", "absent"],
  ["EnumFieldNumericValueNonZero", "ENUM", "1", "RED"],
  ["EnumFieldUnknownValue", "ENUM", "123", 123],
  ["EnumFieldNotQuoted", "ENUM", "RED", undefined],
];

describe("the ProtoJSON conformance suite", () => {
  test.each(PUBLISHED)("%s: %s of %s", (_name, kind, json, becomes) => {
    expect(ofBody(FIELDS[kind], json)).toEqual(becomes);
  });

  test.each([
    ["Int32MapField", '{"1":true,"3":false}', { 1: true, 3: false }],
    ["Int32MapFieldKeyNotQuoted", "{1:true}", undefined],
  ])("%s", (_name, json, becomes) => {
    expect(ofBody(fieldOf(SearchRequestSchema, "flags"), json)).toEqual(becomes);
  });
});

describe("a whole number is exact in any notation, quoted or not, in body, query and path:", () => {
  const INTEGERS: [Kind, string, unknown][] = [
    ["INT32", "1e1", 10],
    ["INT32", "1.0", 1],
    ["INT32", "-2.50E+2", -250],
    ["INT32", "-0.0e7", "absent"],
    ["INT32", "120e-1", 12],
    ["INT32", "1.5", undefined],
    ["INT32", "1e-1", undefined],
    ["INT32", "2147483647.0000000001", undefined],
    ["INT32", "1e10", undefined],
    ["INT32", "1e1000000000", undefined],
    ["INT32", "1e-1000000000", undefined],
    ["INT32", `0.${"0".repeat(400)}1e401`, 1],
    ["INT32", `1${"0".repeat(400)}e-400`, 1],
    ["INT32", `0e${"9".repeat(400)}`, "absent"],
    ["UINT32", "4.294967295e9", 4294967295],
    ["UINT32", "-1e0", undefined],
    ["UINT32", "-0", "absent"],
    ["INT64", "9.223372036854775807e18", "9223372036854775807"],
    ["INT64", "9007199254740993.0", "9007199254740993"],
    ["INT64", "9.223372036854775808e18", undefined],
    ["INT64", "-9223372036854775808.000", "-9223372036854775808"],
    ["UINT64", "1.8446744073709551615e19", "18446744073709551615"],
    ["UINT64", "1.8446744073709551616e19", undefined],
    ["SINT32", "1e5", 100000],
    ["SINT64", "-1e18", "-1000000000000000000"],
    ["FIXED32", "1e9", 1000000000],
    ["FIXED64", "1e19", "10000000000000000000"],
    ["SFIXED32", "-1e9", -1000000000],
    ["SFIXED64", "1.0", "1"],
    ["Int64Value", "9.007199254740993e15", "9007199254740993"],
    ["Int64Value", "0.5", undefined],
    ["UInt32Value", "4.294967295e9", 4294967295],
    ["UInt32Value", "4.294967296e9", undefined],
  ];
  test.each(INTEGERS)("%s %s", (kind, text, becomes) => {
    const field = FIELDS[kind];
    const given = [ofBody(field, text), ofBody(field, `"${text}"`), ...ofText(field, text)];
    expect(given).toEqual(given.map(() => becomes));
  });

  test.each([
    ["1e0", "RED"],
    ["2.0", "GREEN"],
    ["0.99999999999999999999", undefined],
    ["1.5", undefined],
    ["1e1000000000", undefined],
  ])("an enum's %s", (text, becomes) => {
    expect([ofBody(FIELDS.ENUM, text), ...ofText(FIELDS.ENUM, text)]).toEqual([becomes, becomes]);
    expect(ofBody(FIELDS.ENUM, `"${text}"`)).toBeUndefined();
  });

  test.each(["1e1", "1.0", "+1", "", "1e1000000000"])("but the key of a map is digits: not %j", (key) => {
    const flags = fieldOf(SearchRequestSchema, "flags");
    expect(ofBody(flags, `{"${key}":true}`)).toBeUndefined();
    const query = `flags[${encodeURIComponent(key)}]=true`;
    expect(attempt(() => bind(inQuery, SearchRequestSchema, { query }), "flags")).toBeUndefined();
  });
});

describe("a float is judged as the nearest of 32 bits:", () => {
  const LARGEST = 3.4028234663852886e38;
  test.each([
    ["3.4028235e38", LARGEST],
    ["-3.4028235e38", -LARGEST],
    ["3.40282356e38", LARGEST],
    ["3.4028235677973366e38", undefined],
    ["-3.4028236e38", undefined],
    ["1e39", undefined],
    ["1e-60", 1e-60],
  ])("%s", (text, becomes) => {
    const given = [ofBody(FIELDS.FLOAT, text), ofBody(FIELDS.FLOAT, `"${text}"`), ...ofText(FIELDS.FLOAT, text)];
    expect(given).toEqual(given.map(() => becomes));
  });

  test.each([
    ["3.4028235e38", LARGEST],
    ["3.4028236e38", undefined],
  ])("FloatValue of %s", (json, becomes) => {
    const field = FIELDS.FloatValue;
    expect([ofBody(field, json), ofBody(field, `"${json}"`), ...ofText(field, json)]).toEqual([
      becomes,
      becomes,
      becomes,
    ]);
  });
});
