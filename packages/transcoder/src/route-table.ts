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
  refuseDuplicates(routes);
  const byLength = Map.groupBy(routes.toSorted(bySpecificity), (route) => route.template.segments.length);
  return {
    match(httpMethod, target) {
      const found = (byLength.get(target.segments.length) ?? []).flatMap((route) => {
        const values = matchTemplate(route, target.segments);
        return values === undefined ? [] : [{ route, values }];
      });
      const wanted = httpMethod === "HEAD" ? "GET" : httpMethod;
      const match = found.find(({ route }) => route.httpMethod === httpMethod || route.httpMethod === wanted);
      if (match) return match;
      if (found.length > 0) throw new TranscodingError("method-not-allowed", { allow: allowed(found) });
      const malformed = target.segments.some((segment) => percentDecode(segment) === undefined);
      throw new TranscodingError(malformed ? "invalid-path" : "route-not-found");
    },
  };
}

function matchTemplate({ template }: Route, sent: readonly string[]): RouteMatch["values"] | undefined {
  const values: (string | undefined)[] = [];
  for (const [index, segment] of template.segments.entries()) {
    let raw = sent[index] ?? "";
    if (template.verb !== "" && index === sent.length - 1) {
      if (!raw.endsWith(`:${template.verb}`)) return undefined;
      raw = raw.slice(0, -template.verb.length - 1);
    }
    if (raw === "") return undefined;
    const value = percentDecode(raw);
    if ("variable" in segment) values.push(value);
    else if (value !== segment.literal) return undefined;
  }
  return values;
}

function allowed(found: readonly RouteMatch[]): string[] {
  const methods = new Set(found.map(({ route }) => route.httpMethod));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].sort();
}

function refuseDuplicates(routes: readonly Route[]): void {
  const seen = new Map<string, Route>();
  for (const route of routes) {
    const key = `${route.httpMethod} ${shape(route)}`;
    const earlier = seen.get(key);
    if (earlier) throw new Error(`duplicate route ${key}: ${rpcName(earlier)} and ${rpcName(route)}`);
    seen.set(key, route);
  }
}

function bySpecificity(a: Route, b: Route): number {
  const [left, right] = [rank(a), rank(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

// Orders per segment from the left, a literal before a variable; at the end, a verb before none.
function rank({ template }: Route): string {
  const kinds = template.segments.map((segment) => ("literal" in segment ? "0" : "1"));
  return kinds.join("") + (template.verb === "" ? "1" : "0");
}

function shape({ template }: Route): string {
  const path = template.segments.map((segment) => `/${"literal" in segment ? segment.literal : "{}"}`).join("");
  return template.verb === "" ? path : `${path}:${template.verb}`;
}

function rpcName({ method }: Route): string {
  return `${method.parent.typeName}.${method.name}`;
}
