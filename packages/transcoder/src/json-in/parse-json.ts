import type { JsonValue } from "@bufbuild/protobuf";
import { TranscodingError } from "../errors/transcoding-error.ts";
import { hasHeldNumbers, isObject, MAYBE_ROUNDED, parseWithLiterals } from "./json-literals.ts";
import { decodeString, endOfString, locateJsonError } from "./locate-json-error.ts";

/** The deepest nesting of objects and arrays in JSON unless the options say otherwise. */
export const MAX_NESTING = 64;
/** The deepest nesting of a Struct: to encode and decode more than 900 levels can overflow the stack. */
export const DEEPEST_STRUCT = 500;

/** Parses UTF-8 JSON; a byte order mark is skipped. Throws what `parseJsonText` throws. */
export function parseJson(bytes: Uint8Array, depth?: number): JsonValue {
  return parseJsonText(decodeUtf8(bytes), depth); // protects: parsed-depth
}

/**
 * Parses JSON text of at most `depth` objects and arrays in one another. Throws a TranscodingError of kind
 * invalid-json, with the position, or repeated-parameter for an object that has one key twice.
 */
export function parseJsonText(text: string, depth = MAX_NESTING): JsonValue {
  const { colons, hasLongNumber } = scan(text, depth);
  const json = parseValid(text, hasLongNumber ? parseWithLiterals : JSON.parse);
  // The search takes ten times as long as the comparison: 0.1 s of CPU for 1 MiB of keys.
  if (countKeys(json) !== colons) {
    const { path = "a key", position = 0 } = findRepeatedKey(text) ?? {};
    throw new TranscodingError("repeated-parameter", { parameter: path, position });
  }
  return json;
}

/**
 * Returns the first name of an object in JSON whose value contains a whole number that `JSON.parse` rounds, in whatever
 * notation, or a number beyond the range of a double. Undefined if there is none, and for text that is no object or is
 * nested too deep to be read: its parser refuses it.
 */
export function findInexactField(text: string): string | undefined {
  if (!scan(text, Number.POSITIVE_INFINITY).hasLongNumber) return undefined;
  try {
    const json = parseWithLiterals(text);
    if (!isObject(json)) return undefined;
    return Object.entries(json).find(([name, value]) => !hasHeldNumbers(value, json, name, true))?.[0];
  } catch {
    return undefined;
  }
}

/** Counts the keys of all objects. Recursive: nesting is limited before. */
function countKeys(json: JsonValue): number {
  if (typeof json !== "object" || json === null) return 0;
  let keys = 0;
  if (Array.isArray(json)) {
    for (const item of json) if (typeof item === "object") keys += countKeys(item);
    return keys;
  }
  for (const key in json) keys += 1 + countKeys(json[key] ?? null);
  return keys;
}

function parseValid(text: string, parse: (text: string) => JsonValue): JsonValue {
  try {
    return parse(text);
  } catch {
    // V8 reports the position of some errors only, so the text is scanned again.
    throw new TranscodingError("invalid-json", { position: locateJsonError(text) });
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new TranscodingError("invalid-json");
  }
}

/** The facts about a text that decide how it is parsed. Characters in strings do not count. */
interface Scan {
  /** The number of colons: one for each key that is written. */
  readonly colons: number;
  /** Whether it may contain a number that is not exact once parsed. */
  readonly hasLongNumber: boolean;
}

/**
 * Scans a text before it is parsed, and refuses deep nesting, so that no later step can overflow the stack. One pass, 4
 * ms for 1 MiB.
 */
export function scan(text: string, deepest: number): Scan {
  let colons = 0;
  let depth = 0;
  let inString = false;
  let numberFrom = -1;
  let hasLongNumber = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === BACKSLASH) at++;
      else if (character === QUOTE) inString = false;
      continue;
    }
    if (isOfNumber(character)) {
      if (numberFrom < 0) numberFrom = at;
      else if ((character | LOWER_CASE) === LETTER_E || at - numberFrom >= MAYBE_ROUNDED - 1) hasLongNumber = true;
      continue;
    }
    numberFrom = -1;
    if (character === QUOTE) inString = true;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      if (++depth > deepest) throw new TranscodingError("invalid-json", { position: at });
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth--;
    else if (character === COLON) colons++;
  }
  return { colons, hasLongNumber };
}

/**
 * Whether a character may be part of a number: digits, signs, the point, and "e", which `true` and `false` have too.
 */
function isOfNumber(character: number): boolean {
  return (character >= 0x2b && character <= 0x39 && character !== 0x2c) || (character | LOWER_CASE) === LETTER_E;
}

const LOWER_CASE = 0x20;
const LETTER_E = 0x65;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

interface RepeatedKey {
  /** The path of the key, such as `filter.assigned` or `items[1].name`. */
  readonly path: string;
  /** The index of the second one in the text. */
  readonly position: number;
}

/**
 * Finds a key that an object of the text has twice, however it is escaped; undefined if there is none. `JSON.parse`
 * would keep the last of the two without notice. `text` must be valid JSON.
 */
function findRepeatedKey(text: string): RepeatedKey | undefined {
  const open: Frame[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; at++) {
    const frame = open.at(-1);
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        if (keyNext && frame !== undefined) {
          const key = decodeString(text.slice(at, end + 1));
          frame.place = key;
          if (frame.keys?.has(key)) return { path: pathOf(open), position: at };
          frame.keys?.add(key);
        }
        keyNext = false;
        at = end;
        break;
      }
      case "{":
      case "[":
        keyNext = text[at] === "{";
        open.push(keyNext ? { keys: new Set(), place: "" } : { keys: undefined, place: 0 });
        break;
      case "}":
      case "]":
        keyNext = false;
        open.pop();
        break;
      case ",":
        keyNext = frame?.keys !== undefined;
        if (typeof frame?.place === "number") frame.place++;
    }
  }
  return undefined;
}

/** An object or array that is open where the scan stands. */
interface Frame {
  /** The keys so far; undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** The current key, or the current index. */
  place: string | number;
}

// The error returns the client's own text, so it is truncated.
function pathOf(open: readonly Frame[]): string {
  const path = open.map(({ place }) => (typeof place === "number" ? `[${place}]` : `.${place}`)).join("");
  return path.replace(/^\./, "").slice(0, MAX_PATH);
}

const MAX_PATH = 100;
