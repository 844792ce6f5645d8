import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { Place } from "../binding/place.ts";
import { invalidParameter } from "../errors/transcoding-error.ts";
import { literalOf, wholeNumber } from "./json-literals.ts";

/**
 * Reads a scalar from text of a path or a query into the JSON value that the field takes. An integer beyond its range is the
 * nearest within it if `isNearest` returns true. Throws a violation.
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

/** Returns a JSON number as digits, exactly as it was sent; as it was, if it is not whole. */
function numberText(json: number, { holder, sent }: Place): JsonValue {
  const literal = literalOf(holder, sent);
  if (literal !== undefined) return wholeNumber(literal) ?? literal;
  // Of a body that is a number alone, no text is kept.
  const isExact = holder === undefined ? Number.isSafeInteger(json) : Number.isInteger(json);
  return isExact ? BigInt(json).toString() : json;
}

/** Base64 or base64url, with or without padding. */
function isBase64(text: string): boolean {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return false;
  const rest = text.length % 4;
  return text.endsWith("=") ? rest === 0 : rest !== 1;
}

const never = () => false;

function integerFromText(type: ScalarType, text: JsonValue, place: Place, isNearest: () => boolean): JsonValue {
  const range = INTEGERS[type] ?? INT64;
  // In two steps: /^(-?)0*(\d+)$/ takes quadratic time for zeros followed by another character.
  if (typeof text !== "string" || !/^-?\d+$/.test(text)) throw invalidParameter(place, acceptsOf(range, isNearest()));
  const sign = text.startsWith("-") ? "-" : "";
  const digits = text.slice(sign.length).replace(/^0+(?=\d)/, "");
  // 21 digits exceed every range; BigInt would take long for a million of them.
  const value = BigInt(sign + digits.slice(0, 21));
  if (value >= range.min && value <= range.max) return value.toString();
  if (!isNearest() || (range.min === 0n && value < 0n)) throw invalidParameter(place, acceptsOf(range, isNearest()));
  return (value < range.min ? range.min : range.max).toString();
}

function acceptsOf({ min, max }: IntegerRange, isNearest: boolean): string {
  if (!isNearest) return `a whole number from ${min} to ${max}`;
  return min < 0n ? "a whole number" : "a whole number from 0";
}

function readFloat(type: ScalarType, json: JsonValue, place: Place): JsonValue {
  if (json === "NaN" || json === "Infinity" || json === "-Infinity") return json;
  const isPlain = typeof json === "string" && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(json);
  const value = typeof json === "number" ? json : isPlain ? Number(json) : Number.NaN;
  const largest = type === ScalarType.FLOAT ? MAX_FLOAT : Number.MAX_VALUE;
  if (!(Math.abs(value) <= largest)) throw invalidParameter(place, "a number");
  return value;
}

const MAX_FLOAT = 3.4028234663852886e38;

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
