import { createRouteTable, type RouteTableOptions } from "../src/matching/route-table.ts";
import { parsePathTemplate } from "../src/rules/path-template.ts";
import type { Route } from "../src/rules/route.ts";
import { declaredRoutes } from "./library.ts";

const [example] = declaredRoutes() as [Route];

/** Creates a table of rules such as `GET /v1/{a}`, for tests of matching: all call one RPC, which binds no variable. */
export function exampleTable(rules: readonly string[], options?: RouteTableOptions) {
  const routes = rules.map((rule) => {
    const [httpMethod = "", path = ""] = rule.split(" ");
    return { ...example, httpMethod, template: parsePathTemplate(path), variables: [] };
  });
  return createRouteTable(routes, options);
}
