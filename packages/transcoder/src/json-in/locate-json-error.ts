const SPACE = /[ \t\n\r]*/y;
// A string may contain everything from the space on, except the quote and the backslash, unescaped.
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const ATOM = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

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
