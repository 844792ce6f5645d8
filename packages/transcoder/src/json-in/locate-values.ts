import { decodeString, endOfString } from "./json-string.ts";

/** The names and indexes that lead to a value. */
export type JsonPath = readonly (string | number)[];

/**
 * Returns where the value of each path begins in a text of JSON; undefined for one that it does not have. One pass, for
 * any number of paths. `text` must be valid JSON.
 */
export function locateValues(text: string, paths: readonly JsonPath[]): (number | undefined)[] {
  const found: (number | undefined)[] = paths.map(() => undefined);
  const open: Frame[] = [];
  let value: Wanted | undefined = plan(paths);
  let keyNext = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    const frame = open.at(-1);
    if (character === '"' && keyNext) {
      const end = endOfString(text, at);
      value = frame?.wanted?.get(decodeString(text.slice(at, end + 1)));
      keyNext = false;
      at = end;
    } else if (character === "," && frame !== undefined) {
      keyNext = frame.index < 0;
      if (!keyNext) value = frame.wanted?.get(String(++frame.index));
    } else if (character === "}" || character === "]") {
      open.pop();
      keyNext = false;
    } else if (!SKIPPED.has(character)) {
      for (const index of value?.paths ?? []) found[index] ??= at;
      const isArray = character === "[";
      if (isArray || character === "{") {
        open.push({ wanted: value?.next, index: isArray ? 0 : -1 });
        keyNext = !isArray;
        value = isArray ? value?.next.get("0") : undefined;
      } else at = character === '"' ? endOfString(text, at) : endOfLiteral(text, at);
    }
  }
  return found;
}

/** Paths that begin the same way. */
interface Wanted {
  /** The indexes of those that end here. */
  readonly paths: number[];
  readonly next: Map<string, Wanted>;
}

/** An object or array that is open where the scan stands. */
interface Frame {
  readonly wanted: ReadonlyMap<string, Wanted> | undefined;
  /** The index of the current item; -1 in an object. */
  index: number;
}

function plan(paths: readonly JsonPath[]): Wanted {
  const root: Wanted = { paths: [], next: new Map() };
  for (const [index, path] of paths.entries()) {
    let at = root;
    for (const step of path) {
      const next = at.next.get(String(step)) ?? { paths: [], next: new Map() };
      at.next.set(String(step), next);
      at = next;
    }
    at.paths.push(index);
  }
  return root;
}

/** Returns the index of the last character of a number, `true`, `false` or `null`. */
function endOfLiteral(text: string, start: number): number {
  let at = start;
  while (at + 1 < text.length && !AFTER_LITERAL.has(text[at + 1] as string)) at++;
  return at;
}

const SKIPPED: ReadonlySet<string> = new Set([" ", "\t", "\n", "\r", ":"]);
const AFTER_LITERAL: ReadonlySet<string> = new Set([...SKIPPED, ",", "]", "}"]);
