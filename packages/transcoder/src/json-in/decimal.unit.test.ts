import { describe, expect, test } from "@jest/globals";
import { FIELDS, fieldOf, type Kind, ofBody, ofQuery, ofText } from "../../test/bind-field.ts";
import { SearchRequestSchema } from "../../test/gen/library/v1/library_pb.ts";

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
    expect(ofQuery(flags, `flags[${encodeURIComponent(key)}]=true`)).toBeUndefined();
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
