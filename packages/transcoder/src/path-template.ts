/** A parsed path template such as `/api/things/{id}:archive`. */
export interface PathTemplate {
  readonly text: string;
  readonly segments: readonly Segment[];
  /** The text after the last colon; "" if there is none. */
  readonly verb: string;
}

export type Segment = { readonly literal: string } | { readonly variable: string };

const LITERAL = /[A-Za-z0-9._~!$&'()+,;=@-]+/y;
const VARIABLE = /\{([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(=\*)?\}/y;
const VERB = /:([A-Za-z0-9._~-]+)$/y;

/**
 * Parses a path template: literal segments, `{field}` or `{field=*}` (one segment each), and a `:verb` at the end.
 * Anything else throws an Error that contains the column, from 1. Patterns over several segments are rejected, because
 * `%2F` in a path would be indistinguishable from a separator.
 */
export function parsePathTemplate(text: string): PathTemplate {
  const segments: Segment[] = [];
  let at = 0;
  do {
    if (text[at] !== "/") throw invalid(text, at, at === 0 ? 'expected "/"' : 'expected "/", ":" or the end');
    const [segment, end] = readSegment(text, at + 1);
    segments.push(segment);
    at = end;
  } while (at < text.length && text[at] !== ":");
  if (at === text.length) return { text, segments, verb: "" };
  const verb = matchAt(VERB, text, at)?.[1];
  if (verb === undefined) throw invalid(text, at + 1, "expected a verb up to the end");
  return { text, segments, verb };
}

function readSegment(text: string, at: number): [Segment, number] {
  const literal = matchAt(LITERAL, text, at);
  if (literal) return [{ literal: literal[0] }, at + literal[0].length];
  const variable = matchAt(VARIABLE, text, at);
  if (variable?.[1] !== undefined) return [{ variable: variable[1] }, at + variable[0].length];
  if (text[at] === "{" && text.indexOf("}", at) < 0) throw invalid(text, at, '"{" is not closed');
  if (text[at] === "{") throw invalid(text, at, 'a variable must be "{field}" or "{field=*}"');
  if (text[at] === "*") throw invalid(text, at, "a wildcard must be bound to a field");
  throw invalid(text, at, "expected a segment");
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function invalid(text: string, at: number, what: string): Error {
  return new Error(`path template "${text}", column ${at + 1}: ${what}`);
}
