import { fromJson, toJson } from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isDuration, isTimestamp } from "./read-scalar.ts";

describe("no timestamp is", () => {
  test.each([
    "",
    "2026",
    "2026-01-02",
    "2026-01-02T03:04Z",
    "2026-01-02T03:04:05",
    "2026-01-02 03:04:05Z",
    "2026-01-02t03:04:05Z",
    "2026-01-02T03:04:05z",
    "2026-1-2T03:04:05Z",
    "2026-00-02T03:04:05Z",
    "2026-13-02T03:04:05Z",
    "2026-01-00T03:04:05Z",
    "2026-01-32T03:04:05Z",
    "2026-02-29T03:04:05Z",
    "2026-02-30T03:04:05Z",
    "2026-04-31T03:04:05Z",
    "1900-02-29T03:04:05Z",
    "2100-02-29T03:04:05Z",
    "2026-01-02T24:00:00Z",
    "2026-01-02T23:60:00Z",
    "2026-01-02T23:59:60Z",
    "2026-01-02T03:04:05.Z",
    "2026-01-02T03:04:05.1234567890Z",
    "2026-01-02T03:04:05,5Z",
    "2026-01-02T03:04:05+0100",
    "2026-01-02T03:04:05+01",
    "2026-01-02T03:04:05+24:00",
    "2026-01-02T03:04:05+01:60",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "10000-01-01T00:00:00Z",
    "+2026-01-02T03:04:05Z",
    " 2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05Z\n",
  ])("%j", (text) => {
    expect(isTimestamp(text)).toBe(false);
  });
});

test.each([
  "2026-01-02T03:04:05Z",
  "2026-01-02T03:04:05.123456789Z",
  "2026-01-02T23:59:59.9+23:59",
  "2024-02-29T00:00:00-12:00",
  "2000-02-29T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "0004-02-29T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
])("a timestamp is %s", (text) => {
  expect(isTimestamp(text)).toBe(true);
  expect(() => fromJson(TimestampSchema, text)).not.toThrow();
});

test("every timestamp that is written is one", () => {
  const seconds = fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n });
  fc.assert(
    fc.property(seconds, fc.nat(999_999_999), (one, nanos) => {
      const text = toJson(TimestampSchema, { $typeName: "google.protobuf.Timestamp", seconds: one, nanos });
      expect(isTimestamp(text)).toBe(true);
    }),
  );
});

describe("no duration is", () => {
  test.each([
    "",
    "s",
    "5",
    "5 s",
    "5S",
    "5sx",
    "5s ",
    ".5s",
    "5.s",
    "+5s",
    "--5s",
    "1e2s",
    "5ms",
    "1.1234567890s",
    "315576000001s",
    "-315576000001s",
    "9".repeat(1_000),
    `${"9".repeat(1_000_000)}s`,
  ])("%.30j", (text) => {
    expect(isDuration(text)).toBe(false);
  });
});

test.each(["0s", "-0s", "5s", "-5.5s", "1.123456789s", "315576000000s", "-315576000000s", "0.000000001s"])(
  "a duration is %s",
  (text) => {
    expect(isDuration(text)).toBe(true);
    expect(() => fromJson(DurationSchema, text)).not.toThrow();
  },
);
