import { createRegistry, type DescMessage, type JsonValue } from "@bufbuild/protobuf";
import {
  AnySchema,
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  DurationSchema,
  FieldMaskSchema,
  Int64ValueSchema,
  ListValueSchema,
  OptionSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { BookSchema } from "../../test/gen/library/v1/library_pb.ts";
import { createMessage } from "../binding/bind-request.ts";
import { BODY } from "../binding/place.ts";
import { type BindingOptions, Reading } from "../binding/reading.ts";
import { readMessage } from "./read-json.ts";
import { hasOwnJson, readOwnJson } from "./read-own-json.ts";

const read = (type: DescMessage, json: JsonValue, options: BindingOptions = {}) =>
  readOwnJson(new Reading(options), type, json, BODY);

const nest = (depth: number): JsonValue => (depth === 0 ? [] : [nest(depth - 1)]);

describe("the JSON of a type with its own form is refused", () => {
  test.each<[DescMessage, JsonValue, string]>([
    [TimestampSchema, 5, "an RFC 3339 timestamp"],
    [TimestampSchema, null, "an RFC 3339 timestamp"],
    [TimestampSchema, { seconds: 5 }, "an RFC 3339 timestamp"],
    [TimestampSchema, "2026-02-30T00:00:00Z", "an RFC 3339 timestamp"],
    [DurationSchema, 5, "a duration in seconds such as 1.5s"],
    [DurationSchema, "5", "a duration in seconds such as 1.5s"],
    [DurationSchema, "5s and more", "a duration in seconds such as 1.5s"],
    [FieldMaskSchema, ["a"], "field names separated by commas"],
    [FieldMaskSchema, "a_b", "field names separated by commas"],
    [FieldMaskSchema, "a,", "field names separated by commas"],
    [FieldMaskSchema, "a..b", "field names separated by commas"],
    [FieldMaskSchema, "a, b", "field names separated by commas"],
    [FieldMaskSchema, "*", "field names separated by commas"],
    [StringValueSchema, 5, "a string"],
    [StringValueSchema, { value: "a" }, "a string"],
    [StringValueSchema, "\udc00", "a string of valid Unicode"],
    [BoolValueSchema, "true", "true or false"],
    [BytesValueSchema, "a", "base64"],
    [BytesValueSchema, 5, "base64"],
    [DoubleValueSchema, "one", "a number"],
    [Int64ValueSchema, 1.5, "a whole number from -9223372036854775808 to 9223372036854775807"],
    [StructSchema, [], "a JSON object nested at most 64 deep"],
    [StructSchema, null, "a JSON object nested at most 64 deep"],
    [StructSchema, { a: nest(63) }, "a JSON object nested at most 64 deep"],
    [StructSchema, { a: ["\ud800"] }, "of valid Unicode"],
    [StructSchema, { "\ud800": 1 }, "of valid Unicode"],
    [ListValueSchema, {}, "an array nested at most 64 deep"],
    [ListValueSchema, nest(64), "an array nested at most 64 deep"],
    [ValueSchema, nest(64), "a JSON value nested at most 64 deep"],
    [ValueSchema, "\ud800", "of valid Unicode"],
  ])("%s %j", (type, json, accepts) => {
    expect(() => read(type, json)).toThrow(new Error(`request body must be ${accepts}`));
  });
});

test.each<[DescMessage, JsonValue]>([
  [FieldMaskSchema, ""],
  [FieldMaskSchema, "a.bC,d1"],
  [StructSchema, { a: nest(62) }],
  [ListValueSchema, nest(63)],
  [ValueSchema, null],
  [StringValueSchema, ""],
])("the JSON of a type with its own form is accepted: %s %.50j", (type, json) => {
  expect(read(type, json)).toEqual(json);
});

describe("Any", () => {
  const registry = createRegistry(BookSchema, TimestampSchema, StructSchema, AnySchema);
  const readAny = (json: JsonValue, options: BindingOptions = { registry }) => {
    const reading = new Reading(options);
    const option = readMessage(reading, OptionSchema, { name: "a", value: json }, BODY);
    reading.assertSound();
    return createMessage(OptionSchema, option, options.registry) as unknown as TypeOf;
  };
  const book = "type.googleapis.com/library.v1.Book";
  const time = "type.googleapis.com/google.protobuf.Timestamp";
  const any = "type.googleapis.com/google.protobuf.Any";

  test.each<[JsonValue, string]>([
    [5, "value must be a JSON object with a known @type"],
    [{ title: "a" }, "value must be a JSON object with a known @type"],
    [{ "@type": 5 }, "value must be a JSON object with a known @type"],
    [{ "@type": "" }, "value must be a JSON object with a known @type"],
    [{ "@type": `${book}s` }, "value must be a JSON object with a known @type"],
    [{ "@type": `${book}/` }, "value must be a JSON object with a known @type"],
    [{ "@type": book, title: 5 }, "value.title must be a string"],
    [{ "@type": book, titel: "a" }, "value.titel is unknown: did you mean value.title?"],
    [
      { "@type": book, pages: 2 ** 70 },
      "value.pages must be a whole number from -9223372036854775808 to 9223372036854775807",
    ],
    [{ "@type": time }, "value.value must be an RFC 3339 timestamp"],
    [{ "@type": time, value: 5 }, "value.value must be an RFC 3339 timestamp"],
    [{ "@type": time, value: "2026-01-02T03:04:05Z", other: 1 }, "value.other is unknown"],
    [{ "@type": any, value: { "@type": book, title: 5 } }, "value.value.title must be a string"],
  ])("%j is refused", (json, message) => {
    expect(() => readAny(json)).toThrow(new Error(message));
  });

  test("of a type that the registry does not have is refused, and so are all without a registry", () => {
    expect(() => readAny({ "@type": book }, {})).toThrow(new Error("value must be a JSON object with a known @type"));
  });

  test.each<JsonValue>([
    {},
    { "@type": book },
    { "@type": "library.v1.Book", title: "a", pages: "5" },
    { "@type": time, value: "2026-01-02T03:04:05Z" },
    { "@type": any, value: { "@type": book, title: "a" } },
  ])("%j is read", (json) => {
    const { typeUrl } = readAny(json).value ?? { typeUrl: "" };
    expect(typeUrl.split("/").at(-1)).toBe(((json as { "@type"?: string })["@type"] ?? "").split("/").at(-1));
  });
});

interface TypeOf {
  readonly value?: { readonly typeUrl: string };
}

test("hasOwnJson is true of the types of google.protobuf with their own form, and of no other", () => {
  expect([AnySchema, TimestampSchema, StructSchema, BytesValueSchema].every(hasOwnJson)).toBe(true);
  expect([BookSchema, OptionSchema].some(hasOwnJson)).toBe(false);
});

test("the paths of a field mask are spelled as in proto, too, if the options say so", () => {
  expect(() => read(FieldMaskSchema, "a_b,cD")).toThrow("field names separated by commas");
  expect(read(FieldMaskSchema, "a_b.c_d,eF", { fieldMasks: "any" })).toBe("aB.cD,eF");
  for (const mask of ["a_1", "a_", "a_B", "_", "a__b"])
    expect(() => read(FieldMaskSchema, mask, { fieldMasks: "any" })).toThrow("field names separated by commas");
});
