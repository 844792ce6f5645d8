import { type JsonPath, locateValues } from "../json-in/locate-json-error.ts";
import type { Route } from "../rules/route.ts";
import { TranscodingError, type Violation } from "./transcoding-error.ts";

/** Returns the error of a request with the line and column of each violation in its body. */
export function locateViolations(error: TranscodingError, body: Uint8Array, route: Route): TranscodingError {
  const { kind, detail, message } = error;
  const { position, parameter = "", violations = [] } = detail;
  if (position !== undefined) {
    const [place] = placesIn(new TextDecoder().decode(body), [position]);
    const violation: Violation = { in: "body", field: parameter, description: message, path: [], ...place };
    return new TranscodingError(kind, { ...detail, violations: [violation] });
  }
  const inBody = violations.filter((violation) => violation.in === "body");
  if (inBody.length === 0) return error;
  const text = new TextDecoder().decode(body);
  // The path of a violation begins at the request message, the path of a value in the body at its field.
  const paths = inBody.map(({ path }): JsonPath => (typeof route.body === "object" ? path.slice(1) : path));
  const places = placesIn(text, locateValues(text, paths));
  const located = new Map(inBody.map((violation, index) => [violation, { ...violation, ...places[index] }]));
  return new TranscodingError(kind, { ...detail, violations: violations.map((one) => located.get(one) ?? one) });
}

interface TextPlace {
  readonly line?: number;
  readonly column?: number;
}

/** Returns the line and column of each index, from 1; neither for an undefined index. */
function placesIn(text: string, indexes: readonly (number | undefined)[]): TextPlace[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return indexes.map((index) => {
    if (index === undefined) return {};
    const line = countUpTo(starts, index);
    return { line, column: index - (starts[line - 1] ?? 0) + 1 };
  });
}

/** Counts the numbers of a sorted list that are at most `limit`: by halves, because a body may have a million lines. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) <= limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
