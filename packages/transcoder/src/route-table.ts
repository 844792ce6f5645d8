import { percentDecode, type RequestTarget } from "./request-target.ts";
import type { Route } from "./route.ts";
import { TranscodingError } from "./transcoding-error.ts";

export interface RouteMatch {
  readonly route: Route;
  /** The decoded value of each variable, in the template's order; undefined if an escape is malformed. */
  readonly values: readonly (string | undefined)[];
}

export interface RouteTable {
  /**
   * Finds the route of a request. From the left, a literal takes precedence over a variable. HEAD finds GET. Throws a
   * TranscodingError: route-not-found, method-not-allowed, or invalid-path for a path that matches nothing and cannot
   * be decoded.
   */
  match(httpMethod: string, target: RequestTarget): RouteMatch;
}

/** Builds the table. @throws Error with both methods if two routes match the same requests */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const root = createNode();
  for (const route of routes) addRoute(root, route);
  return {
    match(httpMethod, { segments }) {
      const route = findEnd(
        root,
        segments,
        0,
        (end) => end.get(httpMethod) ?? (httpMethod === "HEAD" ? end.get("GET") : undefined),
      );
      if (route !== undefined) return { route, values: readValues(route, segments) };
      const allow = allowed(root, segments);
      if (allow.length > 0) throw new TranscodingError("method-not-allowed", { allow });
      const malformed = segments.some((segment) => percentDecode(segment) === undefined);
      throw new TranscodingError(malformed ? "invalid-path" : "route-not-found");
    },
  };
}

/** The routes of one template by HTTP method. */
type End = Map<string, Route>;

/** A prefix of templates. */
interface Node {
  /** By the next segment, decoded. */
  readonly literals: Map<string, Node>;
  /** Of a variable as the next segment. */
  variable: Node | undefined;
  /** By the verb of the templates that end here; "" for none. */
  readonly ends: Map<string, End>;
}

function createNode(): Node {
  return { literals: new Map(), variable: undefined, ends: new Map() };
}

function addRoute(root: Node, route: Route): void {
  let node = root;
  for (const segment of route.template.segments) {
    if ("literal" in segment) {
      const next: Node = node.literals.get(segment.literal) ?? createNode();
      node.literals.set(segment.literal, next);
      node = next;
    } else {
      node.variable ??= createNode();
      node = node.variable;
    }
  }
  const end: End = node.ends.get(route.template.verb) ?? new Map();
  const earlier = end.get(route.httpMethod);
  if (earlier !== undefined) {
    throw new Error(`duplicate route ${route.httpMethod} ${shape(route)}: ${rpcName(earlier)} and ${rpcName(route)}`);
  }
  node.ends.set(route.template.verb, end.set(route.httpMethod, route));
}

/** Offers the ends that the segments from `index` on match, by precedence; returns the first that is taken. */
function findEnd<T>(node: Node, segments: readonly string[], index: number, take: Take<T>): T | undefined {
  const sent = segments[index] ?? "";
  if (sent === "") return undefined;
  const literal = node.literals.get(decodeLiteral(sent));
  if (index < segments.length - 1) {
    const found = literal && findEnd(literal, segments, index + 1, take);
    return found ?? (node.variable && findEnd(node.variable, segments, index + 1, take));
  }
  const colon = sent.lastIndexOf(":");
  if (colon < 1 || colon === sent.length - 1) return takeEnd(literal, "", take) ?? takeEnd(node.variable, "", take);
  const [before, verb] = [sent.slice(0, colon), sent.slice(colon + 1)];
  return (
    takeEnd(node.literals.get(decodeLiteral(before)), verb, take) ??
    takeEnd(literal, "", take) ??
    takeEnd(node.variable, verb, take) ??
    takeEnd(node.variable, "", take)
  );
}

type Take<T> = (end: End) => T | undefined;

function takeEnd<T>(node: Node | undefined, verb: string, take: Take<T>): T | undefined {
  const end = node?.ends.get(verb);
  return end && take(end);
}

function decodeLiteral(segment: string): string {
  return segment.includes("%") ? (percentDecode(segment) ?? "") : segment;
}

function readValues({ template }: Route, sent: readonly string[]): RouteMatch["values"] {
  const values: (string | undefined)[] = [];
  for (let index = 0; index < template.segments.length; index++) {
    const raw = sent[index] ?? "";
    if ("literal" in (template.segments[index] as object)) continue;
    const hasVerb = template.verb !== "" && index === sent.length - 1;
    const value = hasVerb ? raw.slice(0, -template.verb.length - 1) : raw;
    values.push(value.includes("%") ? percentDecode(value) : value);
  }
  return values;
}

function allowed(root: Node, segments: readonly string[]): string[] {
  const methods = new Set<string>();
  findEnd(root, segments, 0, (end) => {
    for (const method of end.keys()) methods.add(method);
    return undefined;
  });
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

function shape({ template }: Route): string {
  const path = template.segments.map((segment) => `/${"literal" in segment ? segment.literal : "{}"}`).join("");
  return template.verb === "" ? path : `${path}:${template.verb}`;
}

function rpcName({ method }: Route): string {
  return `${method.parent.typeName}.${method.name}`;
}
