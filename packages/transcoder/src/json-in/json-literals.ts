import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

type Literals = ReadonlyMap<string, string>;

/** By the object or array that contains them. A parsed body lives as long as its request, and so do these. */
const literals = new WeakMap<object, Map<string, string>>();

/**
 * Parses JSON as `JSON.parse` does, and keeps the text of numbers that it may have rounded to a whole number: 15 digits
 * are exact, `9007199254740993` becomes `9007199254740992`. It takes several times as long as without.
 */
export function parseWithLiterals(text: string): JsonValue {
  return JSON.parse(text, function (this: object, key: string, value: unknown, context?: { source?: string }) {
    const source = context?.source ?? "";
    if (typeof value === "number" && Number.isInteger(value) && !isSurelyExact(value, source)) {
      const known = literals.get(this) ?? new Map<string, string>();
      literals.set(this, known.set(key, source));
    }
    return value;
  } as (key: string, value: unknown) => unknown) as JsonValue;
}

/** Returns the text of a number if it may have been rounded. */
export function literalOf(holder: object | undefined, key: string | number): string | undefined {
  const known: Literals | undefined = holder && literals.get(holder);
  return known?.get(String(key));
}

/** Whether a double is equal to every number that the text of parsed JSON has as digits only, such as 9007199254740992. */
export function hasExactIntegers(json: JsonValue, holder: object | undefined, key: string | number): boolean {
  if (typeof json === "number") {
    const literal = literalOf(holder, key);
    return literal === undefined || !/^-?\d+$/.test(literal) || BigInt(literal) === BigInt(json);
  }
  if (typeof json !== "object" || json === null) return true;
  return Object.entries(json).every(([name, value]) => hasExactIntegers(value, json, name));
}

/** Returns an object without one of its names. */
export function withoutName(json: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = json;
  const known = literals.get(json);
  if (known !== undefined) literals.set(rest, known);
  return rest;
}

/** `1e-400` becomes 0. */
function isSurelyExact(value: number, source: string): boolean {
  return source.length < MAYBE_ROUNDED && Number.isSafeInteger(value) && (value !== 0 || !/[1-9]/.test(source));
}

/** Characters of a number that may be rounded: 15 digits are exact. */
export const MAYBE_ROUNDED = 16;

/** Writes a JSON number as digits only, with its sign; undefined unless it is whole. One over 30 digits may be smaller. */
export function wholeNumber(literal: string): string | undefined {
  const [, sign = "", whole, fraction = "", exponent = "0"] = NUMBER.exec(literal) ?? [];
  if (whole === undefined) return undefined;
  const digits = whole + fraction;
  if (!/[1-9]/.test(digits)) return "0";
  const shift = Number(exponent) - fraction.length;
  if (shift >= 0) return sign + digits + "0".repeat(Math.min(shift, BEYOND_ALL));
  const point = Math.max(0, digits.length + shift);
  return /[1-9]/.test(digits.slice(point)) ? undefined : sign + digits.slice(0, point);
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Zeros that make any number exceed 64 bits. */
const BEYOND_ALL = 30;
