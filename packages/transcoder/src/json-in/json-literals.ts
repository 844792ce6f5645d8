import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { parseDecimal, wholeOf } from "./decimal.ts";

type Literals = ReadonlyMap<string, string>;

/**
 * The texts of numbers, by the object or array that contains them. A parsed body lives as long as its request, and so
 * do its texts.
 */
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

/** Returns an object that holds the text of one number, for a number that is no part of another value. */
export function holderOf(key: string | number, literal: string): object {
  const holder = {};
  literals.set(holder, new Map([[String(key), literal]]));
  return holder;
}

/** Returns the text of a number if it may have been rounded. */
export function literalOf(holder: object | undefined, key: string | number): string | undefined {
  const known: Literals | undefined = holder && literals.get(holder);
  return known?.get(String(key));
}

/** Returns an object without one of its names. */
export function withoutName(json: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = json;
  const known = literals.get(json);
  if (known !== undefined) literals.set(rest, known);
  return rest;
}

/**
 * Whether each number of parsed JSON is one that a double holds: none is beyond its range, as `1e400`, and, if
 * `isExact`, each whole number, in whatever notation, is equal to its double, or to what is written for that: `1e23` is
 * read back as it was sent, though no double is equal to it.
 */
export function hasHeldNumbers(
  json: JsonValue,
  holder: object | undefined,
  key: string | number,
  isExact: boolean,
): boolean {
  if (typeof json === "number") return Number.isFinite(json) && (!isExact || isHeld(json, literalOf(holder, key)));
  if (typeof json !== "object" || json === null) return true;
  return Object.entries(json).every(([name, value]) => hasHeldNumbers(value, json, name, isExact));
}

function isHeld(json: number, literal: string | undefined): boolean {
  const sent = literal === undefined ? undefined : parseDecimal(literal);
  if (sent === undefined || sent.exponent < 0) return true;
  const written = parseDecimal(String(json));
  const isWritten = written?.digits === sent.digits && written.exponent === sent.exponent;
  return isWritten || wholeOf(sent, LONGEST_DOUBLE) === BigInt(json);
}

/** Digits of the largest double. */
const LONGEST_DOUBLE = 309;

export function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Whether a double surely holds the number as written; `1e-400` becomes 0. */
function isSurelyExact(value: number, source: string): boolean {
  return source.length < MAYBE_ROUNDED && Number.isSafeInteger(value) && (value !== 0 || !/[1-9]/.test(source));
}

/** Characters of a number that may be rounded: 15 digits are exact. */
export const MAYBE_ROUNDED = 16;
