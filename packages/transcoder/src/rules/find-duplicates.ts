import { type FaultList, rpcName } from "./invalid-rules.ts";
import type { PathTemplate } from "./path-template.ts";
import type { Route } from "./route.ts";

/**
 * Reports routes that match the same requests. Those are routes of one HTTP method and one shape: between two shapes
 * the first segment that differs decides.
 */
export function findDuplicates(routes: readonly Route[], faults: FaultList): void {
  const known = new Map<string, Route>();
  for (const route of routes) {
    const { httpMethod, template, method } = route;
    const key = `${httpMethod} ${shapeOf(template)}`;
    const earlier = known.get(key);
    if (earlier === undefined) known.set(key, route);
    else {
      const what = `${httpMethod} matches the same requests as "${earlier.template.text}" of ${rpcName(earlier.method)}`;
      faults.add(method, what, { template: template.text, column: 1 });
    }
  }
}

/** Writes a template without its variables, each literal in one spelling. */
function shapeOf({ segments, verb }: PathTemplate): string {
  const parts = segments.map((segment) => (typeof segment === "string" ? segment : JSON.stringify(segment.literal)));
  return `${parts.join("/")}:${verb}`;
}
