import { describe, expect, test } from "@jest/globals";
import { FIELDS, fieldOf, type Kind, ofBody } from "../../test/bind-field.ts";
import { SearchRequestSchema } from "../../test/gen/library/v1/library_pb.ts";

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
