import { hasHeldNumbers, parseWithLiterals } from "./json-literals.ts";
import { scan } from "./parse-json.ts";
import { isObject } from "./read-json.ts";

/**
 * Returns the first name of an object in JSON whose value contains a whole number that `JSON.parse` rounds, in whatever
 * notation, or a number beyond the range of a double. Undefined if there is none, and for text that is no such object, or
 * nested too deep to be read: whoever parses it refuses it.
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
