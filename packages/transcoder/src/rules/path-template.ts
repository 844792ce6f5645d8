/** A parsed path template such as `/v1/{name=shelves/*}/books/{id}:archive`. */
export interface PathTemplate {
  readonly text: string;
  /** All segments, inside of variables too; none for "/". Only the last one can be `**`. */
  readonly segments: readonly Segment[];
  readonly variables: readonly TemplateVariable[];
  /** The indexes of wildcards that no variable captures. */
  readonly free: readonly number[];
  /** The text after the last colon, decoded; "" if there is none. */
  readonly verb: string;
}

/** A literal, decoded; exactly one segment; zero or more segments up to the end. */
export type Segment = { readonly literal: string } | "*" | "**";

/** A variable, and the segments that it captures. */
export interface TemplateVariable {
  /** The path of the field, as written. */
  readonly name: string;
  /** The column at which the name begins, from 1. */
  readonly column: number;
  /** The index of its first segment, and the index after its last one. */
  readonly start: number;
  readonly end: number;
}

/** Thrown for a template that breaks the grammar; `column` is the place of the first fault, from 1. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  readonly column: number;

  constructor(column: number, what: string) {
    super(what);
    this.column = column;
  }
}

/**
 * Parses a path template by the grammar in google/api/http.proto, and "/", the root. Literals, the verb included, may
 * be percent-encoded.
 *
 * @throws TemplateError
 */
export function parsePathTemplate(text: string): PathTemplate {
  const scan: Scan = { text, at: 0, segments: [], variables: [], free: [] };
  if (text[0] !== "/") throw fault(0, 'expected "/"');
  if (text !== "/") readSegments(scan, 'expected "/", ":" or the end', false);
  const { segments, variables, free } = scan;
  const hasVerb = scan.at < text.length && text !== "/";
  return { text, segments, variables, free, verb: hasVerb ? readVerb(scan) : "" };
}

/** The text, and what has been read of it up to `at`. */
interface Scan {
  readonly text: string;
  at: number;
  readonly segments: Segment[];
  readonly variables: TemplateVariable[];
  readonly free: number[];
}

/** Reads segments from a "/", or inside a variable from the first segment; `expected` is what may follow a segment. */
function readSegments(scan: Scan, expected: string, inVariable: boolean): void {
  if (!inVariable) scan.at++;
  for (;;) {
    readSegment(scan, inVariable);
    const next = scan.text[scan.at];
    if (next === undefined || next === (inVariable ? "}" : ":")) return;
    if (next !== "/") throw fault(scan.at, expected);
    scan.at++;
  }
}

function readSegment(scan: Scan, inVariable: boolean): void {
  const { text, at, segments } = scan;
  if (segments.at(-1) === "**") throw fault(at, '"**" must be the last segment');
  if (text[at] === "{") {
    if (inVariable) throw fault(at, "a variable must not contain another");
    readVariable(scan);
  } else if (text[at] === "*") {
    const isDeep = text[at + 1] === "*";
    if (!inVariable) scan.free.push(segments.length);
    segments.push(isDeep ? "**" : "*");
    scan.at += isDeep ? 2 : 1;
  } else {
    segments.push({ literal: readLiteral(scan, "expected a segment") });
  }
}

function readVariable(scan: Scan): void {
  const { text, at, segments, variables } = scan;
  const start = segments.length;
  scan.at++;
  readName(scan);
  while (text[scan.at] === ".") {
    scan.at++;
    readName(scan);
  }
  const name = text.slice(at + 1, scan.at);
  if (text[scan.at] === "=") {
    scan.at++;
    readSegments(scan, 'expected "/" or "}"', true);
  } else {
    segments.push("*");
  }
  if (scan.at === text.length) throw fault(at, '"{" is not closed');
  if (text[scan.at] !== "}") throw fault(scan.at, 'expected ".", "=" or "}"');
  scan.at++;
  variables.push({ name, column: at + 2, start, end: segments.length });
}

function readName(scan: Scan): void {
  const { text, at } = scan;
  if (!isNameStart(text.charCodeAt(at))) throw fault(at, "expected the name of a field");
  while (isNameStart(text.charCodeAt(scan.at)) || isDigit(text.charCodeAt(scan.at))) scan.at++;
}

function readLiteral(scan: Scan, expected: string): string {
  const { text, at } = scan;
  while (isLiteral(text, scan.at)) scan.at++;
  if (scan.at === at) throw fault(at, expected);
  const raw = text.slice(at, scan.at);
  const literal = percentDecode(raw);
  if (literal === undefined) throw fault(at + raw.indexOf("%"), '"%" must start an escape of UTF-8');
  return literal;
}

function readVerb(scan: Scan): string {
  const start = ++scan.at;
  const verb = readLiteral(scan, "expected a verb up to the end");
  if (scan.at < scan.text.length) throw fault(start, "expected a verb up to the end");
  return verb;
}

function isNameStart(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a character may be in a literal: all of a path segment in RFC 3986 but ":" and "*", and all beyond ASCII. */
function isLiteral(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (
    isNameStart(code) ||
    isDigit(code) ||
    code > 0x7f ||
    (at < text.length && "-.~!$&'()+,;=@%".includes(text[at] as string))
  );
}

function fault(at: number, what: string): TemplateError {
  return new TemplateError(at + 1, what);
}

/** Decodes one segment, name or value; undefined if an escape is malformed or does not spell UTF-8. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
