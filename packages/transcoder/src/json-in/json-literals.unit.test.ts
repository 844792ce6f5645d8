import { ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { SearchRequestSchema } from "../../test/gen/library/v1/library_pb.ts";
import { BODY } from "../binding/place.ts";
import { type BindingOptions, Reading } from "../binding/reading.ts";
import { parseDecimal, wholeOf } from "./decimal.ts";
import { parseJsonText } from "./parse-json.ts";
import { readMessage } from "./read-json.ts";
import { scalarFromJson } from "./read-scalar.ts";

const INT64 = "a whole number from -9223372036854775808 to 9223372036854775807";

function read(text: string, options: BindingOptions = {}) {
  const reading = new Reading(options);
  const json = readMessage(reading, SearchRequestSchema, parseJsonText(text), BODY);
  reading.assertSound();
  return json;
}

describe("a number in JSON is refused where its field takes a whole number", () => {
  test.each([
    ['{"sinceId":9223372036854775808}', `sinceId must be ${INT64}`],
    ['{"sinceId":-9223372036854775809}', `sinceId must be ${INT64}`],
    ['{"sinceId":1e19}', `sinceId must be ${INT64}`],
    ['{"sinceId":1e400}', `sinceId must be ${INT64}`],
    ['{"sinceId":1e999999999999}', `sinceId must be ${INT64}`],
    ['{"sinceId":0.5}', `sinceId must be ${INT64}`],
    ['{"sinceId":1.0000000000000000000001}', `sinceId must be ${INT64}`],
    ['{"sinceId":9007199254740993.5}', `sinceId must be ${INT64}`],
    ['{"sinceId":1e-400}', `sinceId must be ${INT64}`],
    ['{"sinceId":"1e19"}', `sinceId must be ${INT64}`],
    ['{"sinceId":"1.01"}', `sinceId must be ${INT64}`],
    ['{"sinceId":" 1"}', `sinceId must be ${INT64}`],
    ['{"sinceId":true}', `sinceId must be ${INT64}`],
    ['{"sinceId":[1]}', `sinceId must be ${INT64}`],
    ['{"limit":9223372036854775808}', `limit must be ${INT64}`],
    ['{"ids":[1,9223372036854775808]}', `ids[1] must be ${INT64}`],
    ['{"count":2147483648}', "count must be a whole number from -2147483648 to 2147483647"],
    ['{"count":2147483647.0000000001}', "count must be a whole number from -2147483648 to 2147483647"],
    ['{"untilId":18446744073709551616}', "untilId must be a whole number from 0 to 18446744073709551615"],
  ])("%s", (text, message) => {
    expect(() => read(text)).toThrow(new Error(message));
  });
});

test.each([
  ['{"sinceId":9007199254740993}', { sinceId: "9007199254740993" }],
  ['{"sinceId":-9223372036854775808}', { sinceId: "-9223372036854775808" }],
  ['{"sinceId":123456789012345e4}', { sinceId: "1234567890123450000" }],
  ['{"sinceId":9007199254740993.000}', { sinceId: "9007199254740993" }],
  ['{"sinceId":90071992547409930e-1}', { sinceId: "9007199254740993" }],
  ['{"sinceId":0e999999999}', { sinceId: "0" }],
  ['{"sinceId":-0}', { sinceId: "0" }],
  [
    '{"untilId":18446744073709551615,"limit":9007199254740993}',
    { untilId: "18446744073709551615", limit: "9007199254740993" },
  ],
  ['{"ids":[9007199254740993,1,1.0]}', { ids: ["9007199254740993", "1", "1"] }],
  ['{"criteria":{"year":1.0e3}}', { criteria: { year: "1000" } }],
  ['{"extra":{"a":9007199254740993}}', { extra: { a: 9007199254740992 } }],
  ['{"score":9007199254740993}', { score: 9007199254740992 }],
  ['{"text":"9007199254740993","count":1}', { text: "9007199254740993", count: "1" }],
])("a number in JSON is exact: %s", (text, expected) => {
  expect(read(text)).toEqual(expected);
});

describe("a whole number in JSON of any form is exact, if the options say so:", () => {
  const exact: BindingOptions = { structIntegers: "exact" };

  test.each([
    '{"extra":{"a":9007199254740993}}',
    '{"extra":{"a":{"b":[0,-9007199254740993]}}}',
    '{"extra":{"a":100000000000000000000001}}',
    '{"anyValue":9007199254740993}',
    '{"anyValue":[9007199254740993]}',
    '{"extra":{"a":9007199254740993.0}}',
    '{"extra":{"a":9007199254740993e0}}',
    '{"extra":{"a":90071992547409930e-1}}',
    '{"extra":{"a":100000000000000000000001e0}}',
    '{"extra":{"a":[1e400]}}',
    '{"extra":{"a":-1e1000000000}}',
  ])("%s is refused", (text) => {
    const name = text.slice(2, text.indexOf(":") - 1);
    expect(() => read(text, exact)).toThrow(new Error(`${name} must be of whole numbers that a double can hold`));
  });

  test.each([
    '{"extra":{"a":9007199254740992}}',
    '{"extra":{"a":9007199254740994,"b":1e22,"c":9007199254740993.5,"d":"9007199254740993"}}',
    '{"extra":{"a":100000000000000000000}}',
    '{"anyValue":-9223372036854775808}',
    '{"extra":{"a":1e23,"b":1.1805916207174113e+21,"c":1e300,"d":1.7976931348623157e308}}',
    '{"extra":{"a":-1e22,"b":1e-400,"c":0.1,"d":9007199254740992.000,"e":0e1000000000}}',
  ])("%s is taken", (text) => {
    expect(read(text, exact)).toEqual(JSON.parse(text));
  });
});

test.each(['{"extra":{"a":1e400}}', '{"anyValue":[-1e309]}'])(
  "%s is beyond a double, whatever the options say",
  (text) => {
    expect(() => read(text)).toThrow("must be of numbers that a double can hold");
  },
);

test("a body that is a number alone is exact or refused", () => {
  expect(scalarFromJson(ScalarType.INT64, 9007199254740991, BODY)).toBe("9007199254740991");
  expect(() => scalarFromJson(ScalarType.INT64, 9007199254740992, BODY)).toThrow(`request body must be ${INT64}`);
});

test("any 64-bit integer is read as it is written, in any notation", () => {
  const bigint = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((value) => value !== 0n);
  fc.assert(
    fc.property(bigint, fc.nat(25), fc.nat(5), (value, shift, zeros) => {
      const digits = String(value);
      const forms = [
        digits,
        `${digits}.${"0".repeat(zeros + 1)}`,
        `${digits}${"0".repeat(shift)}E-${shift}`,
        `${digits.replace(/\d+/, "0")}.${"0".repeat(shift)}${digits.replace("-", "")}e+${shift + digits.replace("-", "").length}`,
      ];
      for (const form of forms) expect(read(`{"sinceId":${form}}`)).toEqual({ sinceId: digits });
    }),
  );
});

test.each([
  ["x", undefined],
  ["", undefined],
  ["1.", undefined],
  ["1.5", undefined],
  ["15e-1", undefined],
  ["-0.0", 0n],
  ["150e-1", 15n],
  ["-1.5e1", -15n],
  ["0012", 12n],
  ["1e4", 10_000n],
  ["1e5", undefined],
  ["123456", undefined],
])("%j as a whole number of at most five digits is %j", (text, value) => {
  const decimal = parseDecimal(text);
  expect(decimal && wholeOf(decimal, 5)).toBe(value);
});
