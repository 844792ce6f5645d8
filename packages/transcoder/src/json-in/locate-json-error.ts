// Scans of JSON text for positions: where it stops being JSON, and where the values of given paths begin.

/**
 * Returns where text stops being JSON: the index of the first invalid token, or the length of the text if it ends too
 * early. Recursive: text must not be nested deeper than the stack allows.
 */
export function locateJsonError(text: string): number {
  const value = skipValue(text, 0);
  return value.failed ? value.at : skip(SPACE, text, value.at);
}

interface Step {
  readonly at: number;
  readonly failed: boolean;
}

function skipValue(text: string, from: number): Step {
  const at = skip(SPACE, text, from);
  if (text[at] === "{") return skipList(text, at, "}", skipMember);
  if (text[at] === "[") return skipList(text, at, "]", skipValue);
  return skipToken(text[at] === '"' ? STRING : ATOM, text, at);
}

function skipMember(text: string, from: number): Step {
  const name = skipToken(STRING, text, skip(SPACE, text, from));
  if (name.failed) return name;
  const colon = skip(SPACE, text, name.at);
  return text[colon] === ":" ? skipValue(text, colon + 1) : { at: colon, failed: true };
}

function skipList(text: string, open: number, close: string, skipItem: (text: string, from: number) => Step): Step {
  const first = skip(SPACE, text, open + 1);
  if (text[first] === close) return { at: first + 1, failed: false };
  let from = first;
  for (;;) {
    const item = skipItem(text, from);
    if (item.failed) return item;
    const after = skip(SPACE, text, item.at);
    if (text[after] === close) return { at: after + 1, failed: false };
    if (text[after] !== ",") return { at: after, failed: true };
    from = after + 1;
  }
}

function skipToken(pattern: RegExp, text: string, at: number): Step {
  const end = skip(pattern, text, at);
  return { at: end, failed: end === at };
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const SPACE = /[ \t\n\r]*/y;
// A string may contain everything from the space on, except the quote and the backslash, unescaped.
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const ATOM = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

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

/** A node of the trie: the paths that begin the same way. */
interface Wanted {
  /** The indexes of the paths that end here. */
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

/** Returns the index of the quote that ends the string at `start`. The text must be valid JSON. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
}

/** Decodes a string with its quotes. */
export function decodeString(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
