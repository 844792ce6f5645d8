import { TranscodingError } from "../errors/transcoding-error.ts";
import { type PathTemplate, percentDecode, type TemplateVariable } from "../rules/path-template.ts";
import type { Route } from "../rules/route.ts";

export interface RouteTable {
  /**
   * Finds the route of a request. Where the last segment has a colon, routes with the verb after it precede all others.
   * From the left, a literal takes precedence over `*`, and `*` over `**`; a more specific route without the HTTP
   * method gives way to a less specific one with it. HEAD finds GET, unless it is declared. Throws a TranscodingError:
   * route-not-found, method-not-allowed, or invalid-path for a path that matches nothing and cannot be decoded.
   */
  match(httpMethod: string, target: RequestTarget): RouteMatch;
}

/** The target of an HTTP request, split but not decoded. */
export interface RequestTarget {
  /** The path from the first "/" to before the "?", as sent. */
  readonly path: string;
  /** The path split at every literal "/"; none for the root. */
  readonly segments: readonly string[];
  /** The text after the first "?", as sent; "" if there is none. */
  readonly query: string;
}

export interface RouteMatch {
  readonly route: Route;
  /** The decoded value of each variable, in the template's order; undefined if an escape is malformed. */
  readonly values: readonly (string | undefined)[];
}

export interface RouteTableOptions {
  /** Whether a path matches with one slash too many at its end; "refuse" if absent. */
  readonly trailingSlash?: "refuse" | "forgive" | undefined;
  /**
   * Whether variables of several segments keep only `%2F`, or the escapes of all reserved characters; true if absent.
   */
  readonly fullyDecodeReservedExpansion?: boolean | undefined;
}

/**
 * Builds the table of routes of different shapes. A match visits one node per segment, and another branch only where a
 * literal was not followed by the rest of the path. Its cost does not depend on the number of routes, but for such
 * branches, and it visits each of them once. A path with a colon is matched twice.
 */
export function createRouteTable(
  routes: readonly Route[],
  { trailingSlash, fullyDecodeReservedExpansion = true }: RouteTableOptions = {},
): RouteTable {
  const kept = fullyDecodeReservedExpansion ? SLASH : RESERVED;
  const root = createNode();
  for (const route of routes) addRoute(root, route);
  return {
    match(httpMethod, target) {
      const segments = trailingSlash === "forgive" ? withoutSlash(target.segments) : target.segments;
      const route = findEnd(root, segments, (end) => routeOf(end, httpMethod));
      if (route !== undefined) return { route, values: readPathValues(route.template, segments, kept) };
      const allow = allowed(root, segments);
      if (allow.length > 0) throw new TranscodingError("method-not-allowed", { allow });
      const malformed = segments.some((segment) => percentDecode(segment) === undefined);
      throw new TranscodingError(malformed ? "invalid-path" : "route-not-found");
    },
  };
}

/** The routes of one shape by HTTP method. */
type End = Map<string, Route>;
/** The ends by their verb, decoded; "" for none. */
type Ends = Map<string, End>;

/** A node of the trie: a prefix that templates share. */
interface Node {
  /** The child nodes by the next segment, decoded. */
  readonly literals: Map<string, Node>;
  /** The child node for `*` as the next segment. */
  one: Node | undefined;
  /** The ends of the templates that end here. */
  readonly ends: Ends;
  /** The ends of the templates that end here with `**`. */
  readonly deepEnds: Ends;
}

function createNode(): Node {
  return { literals: new Map(), one: undefined, ends: new Map(), deepEnds: new Map() };
}

function addRoute(root: Node, route: Route): void {
  const { segments, verb } = route.template;
  let node = root;
  for (const segment of segments) {
    if (segment === "**") break;
    const next: Node = (segment === "*" ? node.one : node.literals.get(segment.literal)) ?? createNode();
    if (segment === "*") node.one = next;
    else node.literals.set(segment.literal, next);
    node = next;
  }
  const ends = segments.at(-1) === "**" ? node.deepEnds : node.ends;
  const end: End = ends.get(verb) ?? new Map();
  ends.set(verb, end.set(route.httpMethod, route));
}

function routeOf(end: End, httpMethod: string): Route | undefined {
  return end.get(httpMethod) ?? (httpMethod === "HEAD" ? end.get("GET") : undefined) ?? end.get("*");
}

/** Visits the matching ends in order of precedence and returns the first result of `take`. */
function findEnd<T>(root: Node, segments: readonly string[], take: Take<T>): T | undefined {
  // No segment of a template is empty, nor does `**` match such segments: "a//b" is no other spelling of "a/b".
  if (segments.includes("")) return undefined;
  const last = segments.at(-1);
  if (last === undefined) return takeEnd(root, { verb: "", take });
  const colon = last.lastIndexOf(":");
  const verb = colon > 0 ? decodeLiteral(last.slice(colon + 1)) : "";
  const withVerb = verb === "" ? undefined : findBelow(root, { segments, last: last.slice(0, colon), verb, take }, 0);
  // Without a route that has the verb, the colon is part of the segment.
  return withVerb ?? findBelow(root, { segments, last, verb: "", take }, 0);
}

type Take<T> = (end: End) => T | undefined;

interface Search<T> {
  readonly segments: readonly string[];
  /** The last segment, without the verb. */
  readonly last: string;
  readonly verb: string;
  readonly take: Take<T>;
}

function findBelow<T>(node: Node, search: Search<T>, index: number): T | undefined {
  const isLast = index === search.segments.length - 1;
  return (isLast ? findLast(node, search) : findNext(node, search, index)) ?? takeOf(node.deepEnds, search);
}

function findNext<T>(node: Node, search: Search<T>, index: number): T | undefined {
  const literal = node.literals.get(decodeLiteral(search.segments[index] ?? ""));
  return (literal && findBelow(literal, search, index + 1)) ?? (node.one && findBelow(node.one, search, index + 1));
}

function findLast<T>(node: Node, search: Search<T>): T | undefined {
  return takeEnd(node.literals.get(decodeLiteral(search.last)), search) ?? takeEnd(node.one, search);
}

type Taking<T> = Pick<Search<T>, "verb" | "take">;

/** Takes a node's own end, or else `**` for zero segments. */
function takeEnd<T>(node: Node | undefined, search: Taking<T>): T | undefined {
  return node && (takeOf(node.ends, search) ?? takeOf(node.deepEnds, search));
}

function takeOf<T>(ends: Ends, { verb, take }: Taking<T>): T | undefined {
  const end = ends.get(verb);
  return end && take(end);
}

function decodeLiteral(segment: string): string {
  return percentDecode(segment) ?? "";
}

function withoutSlash(segments: readonly string[]): readonly string[] {
  return segments.length > 1 && segments.at(-1) === "" ? segments.slice(0, -1) : segments;
}

function allowed(root: Node, segments: readonly string[]): string[] {
  const methods = new Set<string>();
  findEnd(root, segments, (end) => {
    for (const method of end.keys()) methods.add(method);
    return undefined;
  });
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

/**
 * Returns the value of each variable in the segments of a path that the template matches; undefined for one with a
 * malformed escape. Values of several segments keep the escapes in `kept`. Throws a TranscodingError for a malformed
 * escape in a segment that no variable captures.
 */
function readPathValues(
  template: PathTemplate,
  sent: readonly string[],
  kept: ReadonlySet<string>,
): (string | undefined)[] {
  const segments = template.verb === "" ? sent : withoutVerb(sent);
  assertFreeSegments(template, segments);
  return template.variables.map((variable) => readValue(template, variable, segments, kept));
}

function readValue(
  template: PathTemplate,
  { start, end }: TemplateVariable,
  sent: readonly string[],
  kept: ReadonlySet<string>,
) {
  const isDeep = template.segments[end - 1] === "**";
  if (end - start === 1 && !isDeep) return percentDecode(sent[start] ?? "");
  let value = "";
  for (let index = start; index < (isDeep ? sent.length : end); index++) {
    const part = percentDecodeBut(kept, sent[index] ?? "");
    if (part === undefined) return undefined;
    value += index === start ? part : `/${part}`;
  }
  return value;
}

function withoutVerb(sent: readonly string[]): string[] {
  const last = sent.at(-1) ?? "";
  return sent.with(-1, last.slice(0, last.lastIndexOf(":")));
}

/** Refuses malformed escapes in wildcards outside of variables: their text is read nowhere else. */
function assertFreeSegments({ segments, free }: PathTemplate, sent: readonly string[]): void {
  for (const index of free) {
    const texts = sent.slice(index, segments[index] === "**" ? sent.length : index + 1);
    if (texts.some((text) => percentDecode(text) === undefined)) throw new TranscodingError("invalid-path");
  }
}

/** The escape of "/": decoded, it could not be distinguished from a separator. */
const SLASH: ReadonlySet<string> = new Set(["%2F"]);

/** The reserved characters of RFC 3986, 2.2, which reserved expansion (RFC 6570, 3.2.3) leaves as they are. */
const RESERVED: ReadonlySet<string> = new Set(
  Array.from(":/?#[]@!$&'()*+,;=", (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
);

/** Decodes one of several segments that become one value: all but the escapes in `kept`, which stay, in upper case. */
function percentDecodeBut(kept: ReadonlySet<string>, text: string): string | undefined {
  let decoded = "";
  let from = 0;
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", at + 1)) {
    const escaped = text.slice(at, at + 3).toUpperCase();
    if (!kept.has(escaped)) continue;
    const part = percentDecode(text.slice(from, at));
    if (part === undefined) return undefined;
    decoded += part + escaped;
    from = at + 3;
  }
  const rest = percentDecode(text.slice(from));
  return rest === undefined ? undefined : decoded + rest;
}
