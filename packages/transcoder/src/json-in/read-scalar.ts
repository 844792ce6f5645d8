import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { Place } from "../binding/place.ts";
import { invalidParameter } from "../errors/transcoding-error.ts";
import { parseDecimal, wholeOf } from "./decimal.ts";
import { literalOf } from "./json-literals.ts";

/**
 * Reads a scalar from text of a path or a query into the JSON value that the field takes. An integer beyond its range
 * is the nearest within it if `isNearest` returns true. Throws a violation.
 */
export function scalarFromText(type: ScalarType, text: string, place: Place, isNearest = never): JsonValue {
  switch (type) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      if (text !== "true" && text !== "false") throw invalidParameter(place, "true or false");
      return text === "true";
    case ScalarType.BYTES:
      if (!isBase64(text)) throw invalidParameter(place, "base64");
      return text;
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return readFloat(type, text, place);
    default:
      return integerFromText(type, text, place, isNearest);
  }
}

/** Reads a scalar from a JSON value, with the same errors. */
export function scalarFromJson(type: ScalarType, json: JsonValue, place: Place): JsonValue {
  switch (type) {
    case ScalarType.STRING:
      if (typeof json !== "string") throw invalidParameter(place, "a string");
      // Half a surrogate pair can be written as an escape but not as UTF-8.
      if (!json.isWellFormed()) throw invalidParameter(place, "a string of valid Unicode");
      return json;
    case ScalarType.BOOL:
      if (typeof json !== "boolean") throw invalidParameter(place, "true or false");
      return json;
    case ScalarType.BYTES:
      return scalarFromText(type, typeof json === "string" ? json : "?", place);
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return readFloat(type, json, place);
    default:
      return integerFromText(type, typeof json === "number" ? numberText(json, place) : json, place, never);
  }
}

/** Returns the text of a JSON number, exactly as it was sent; the number itself, if it is not whole. */
export function numberText(json: number, { holder, sent }: Place): JsonValue {
  const literal = literalOf(holder, sent);
  if (literal !== undefined) return literal;
  // No text is kept of a body that is a number alone.
  const isExact = holder === undefined ? Number.isSafeInteger(json) : Number.isInteger(json);
  return isExact ? BigInt(json).toString() : json;
}

/** Returns whether a text is a duration of ProtoJSON: seconds, with at most nine digits after the point. */
export function isDuration(text: string): boolean {
  const [, seconds] = /^(-?\d{1,12})(?:\.\d{1,9})?s$/.exec(text) ?? [];
  return seconds !== undefined && Math.abs(Number(seconds)) <= LONGEST_DURATION;
}

/** The seconds of 10,000 years, the longest duration of `google/protobuf/duration.proto`. */
const LONGEST_DURATION = 315_576_000_000;

/**
 * Returns whether a text is a timestamp of ProtoJSON: RFC 3339 in upper case, of the years 1 to 9999 in UTC. `Date`
 * takes the 30th of February for the 2nd of March, and 24:00 for the next day.
 */
export function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [, year, month, day, hour] = match;
  if (Number(hour) > 23 || Number(day) > daysOf(Number(year), Number(month))) return false;
  const at = Date.parse(text.replace(/\.\d+/, ""));
  return at >= FIRST && at <= LAST;
}

/** Returns the days of a month. `Date` takes the 0th for the last of the month before, and years below 100 for 19xx. */
function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(2_000 + (year % 400), month, 0)).getUTCDate();
}

const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59Z");

/** Whether a text is base64 or base64url, with or without padding. */
function isBase64(text: string): boolean {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return false;
  const rest = text.length % 4;
  return text.endsWith("=") ? rest === 0 : rest !== 1;
}

const never = () => false;

function integerFromText(type: ScalarType, text: JsonValue, place: Place, isNearest: () => boolean): JsonValue {
  const range = INTEGERS[type] ?? INT64;
  const decimal = typeof text === "string" ? parseDecimal(text) : undefined;
  if (decimal === undefined || decimal.exponent < 0) throw invalidParameter(place, acceptsOf(range, isNearest()));
  // BigInt would take long for a million digits.
  const value = wholeOf(decimal, LONGEST_INTEGER);
  if (value !== undefined && value >= range.min && value <= range.max) return value.toString();
  const { isNegative } = decimal;
  if (!isNearest() || (range.min === 0n && isNegative)) throw invalidParameter(place, acceptsOf(range, isNearest()));
  return (isNegative ? range.min : range.max).toString();
}

/** The number of digits of the largest integer. */
const LONGEST_INTEGER = 20;

function acceptsOf({ min, max }: IntegerRange, isNearest: boolean): string {
  if (!isNearest) return `a whole number from ${min} to ${max}`;
  return min < 0n ? "a whole number" : "a whole number from 0";
}

interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

const INT32: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const UINT32: IntegerRange = { min: 0n, max: 2n ** 32n - 1n };
const INT64: IntegerRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const UINT64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n };

const INTEGERS: Partial<Record<ScalarType, IntegerRange>> = {
  [ScalarType.INT32]: INT32,
  [ScalarType.SINT32]: INT32,
  [ScalarType.SFIXED32]: INT32,
  [ScalarType.UINT32]: UINT32,
  [ScalarType.FIXED32]: UINT32,
  [ScalarType.INT64]: INT64,
  [ScalarType.SINT64]: INT64,
  [ScalarType.SFIXED64]: INT64,
  [ScalarType.UINT64]: UINT64,
  [ScalarType.FIXED64]: UINT64,
};

function readFloat(type: ScalarType, json: JsonValue, place: Place): JsonValue {
  if (json === "NaN" || json === "Infinity" || json === "-Infinity") return json;
  const isPlain = typeof json === "string" && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(json);
  const value = typeof json === "number" ? json : isPlain ? Number(json) : Number.NaN;
  const isFloat = type === ScalarType.FLOAT;
  if (!Number.isFinite(isFloat ? Math.fround(value) : value)) throw invalidParameter(place, "a number");
  // 3.4028235e38 is the largest float as programs print it, and a little more than that.
  return isFloat ? Math.max(-MAX_FLOAT, Math.min(value, MAX_FLOAT)) : value;
}

const MAX_FLOAT = 3.4028234663852886e38;
