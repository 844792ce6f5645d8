import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { invalidParameter } from "./transcoding-error.ts";

/**
 * Reads a scalar from text of a path or a query into the JSON value that the field takes. Errors contain `name`. A
 * 64-bit number beyond its range becomes the nearest one within it.
 */
export function scalarFromText(type: ScalarType, text: string, name: string): JsonValue {
  switch (type) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      if (text !== "true" && text !== "false") throw invalidParameter(name, "true or false");
      return text === "true";
    case ScalarType.BYTES:
      if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw invalidParameter(name, "base64");
      return text;
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return floatFromText(type, text, name);
    default:
      return integerFromText(type, text, name);
  }
}

/** Reads a scalar from a JSON value, with the same errors. */
export function scalarFromJson(type: ScalarType, json: JsonValue, name: string): JsonValue {
  switch (type) {
    case ScalarType.STRING:
      if (typeof json !== "string") throw invalidParameter(name, "a string");
      // Half a surrogate pair can be written as an escape but not as UTF-8.
      if (!json.isWellFormed()) throw invalidParameter(name, "a string of valid Unicode");
      return json;
    case ScalarType.BOOL:
      if (typeof json !== "boolean") throw invalidParameter(name, "true or false");
      return json;
    case ScalarType.BYTES:
      return scalarFromText(type, typeof json === "string" ? json : "?", name);
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return floatFromText(type, typeof json === "number" ? String(json) : json, name);
    default:
      return integerFromText(
        type,
        typeof json === "number" && Number.isInteger(json) ? BigInt(json).toString() : json,
        name,
      );
  }
}

/** Describes what a scalar field accepts, as the continuation of "must be". */
function acceptsOf(type: ScalarType): string {
  const range = INTEGERS[type];
  if (range === undefined) return "a number";
  if (range.saturates) return range.min < 0n ? "a whole number" : "a whole number from 0";
  return `a whole number from ${range.min} to ${range.max}`;
}

function integerFromText(type: ScalarType, text: JsonValue, name: string): JsonValue {
  const range = INTEGERS[type];
  // In two steps: /^(-?)0*(\d+)$/ takes quadratic time for zeros followed by another character.
  if (range === undefined || typeof text !== "string" || !/^-?\d+$/.test(text)) {
    throw invalidParameter(name, acceptsOf(type));
  }
  const sign = text.startsWith("-") ? "-" : "";
  const digits = text.slice(sign.length).replace(/^0+(?=\d)/, "");
  // 20 digits exceed every range; BigInt would take long for a million of them.
  const value = BigInt(sign + digits.slice(0, 20));
  if (value >= range.min && value <= range.max) return value.toString();
  if (!range.saturates || (range.min === 0n && value < 0n)) throw invalidParameter(name, acceptsOf(type));
  return (value < range.min ? range.min : range.max).toString();
}

function floatFromText(type: ScalarType, text: JsonValue, name: string): JsonValue {
  if (text === "NaN" || text === "Infinity" || text === "-Infinity") return text;
  const plain = typeof text === "string" && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  const value = plain ? Number(text) : Number.NaN;
  const largest = type === ScalarType.FLOAT ? MAX_FLOAT : Number.MAX_VALUE;
  if (!(Math.abs(value) <= largest)) throw invalidParameter(name, acceptsOf(type));
  return value;
}

const MAX_FLOAT = 3.4028234663852886e38;

interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
  /** Whether a number beyond the range becomes the nearest within it: as a size or count it means "all". */
  readonly saturates: boolean;
}

const INT32: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n, saturates: false };
const UINT32: IntegerRange = { min: 0n, max: 2n ** 32n - 1n, saturates: false };
const INT64: IntegerRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n, saturates: true };
const UINT64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n, saturates: true };

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
