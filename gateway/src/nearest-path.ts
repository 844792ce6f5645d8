import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { editDistance, nearestNames, type Route, type TranscoderCall } from "@cloud/transcoder";
import type { Failure } from "./errors.ts";

/** Returns a function that names the nearest known path in the failure of an unknown one, if one is near. */
export function createPathHints(routes: readonly Route[], pages: readonly string[]) {
  const nearestPath = createNearestPath([
    // The reference names the variables of a path in camel case.
    ...routes.map(({ template }) => template.text.replace(/\{\w+\}/g, protoCamelCase)),
    ...pages,
  ]);
  return (failure: Failure, { path }: TranscoderCall): Failure => {
    const nearest = failure.reason === Reason.ROUTE_NOT_FOUND ? nearestPath(path) : undefined;
    return nearest === undefined ? failure : { ...failure, text: `${failure.text}: did you mean ${nearest}?` };
  };
}

/**
 * Returns a function that finds the template, such as `/api/workspaces/{id}/teams`, that an unknown path most probably
 * means; the first of several, undefined if none is near.
 */
export function createNearestPath(templates: readonly string[]): (path: string) => string | undefined {
  const known = templates.map((text) => ({ text, segments: segmentsOf(text) }));
  return (path) => {
    const sent = segmentsOf(path);
    if (path.length > MAX_LENGTH || sent.length > MAX_SEGMENTS) return undefined;
    const costOf = createCosts();
    let [nearest, min]: [string | undefined, number] = [undefined, MAX_DISTANCE + 1];
    for (const { text, segments } of known) {
      if (Math.abs(segments.length - sent.length) > MAX_DISTANCE) continue;
      const distance = editDistance(sent, segments, costOf);
      if (distance <= MAX_DISTANCE && distance < min) [nearest, min] = [text, distance];
    }
    return nearest;
  };
}

/** The longest path, and the most segments, that get a hint: to find one then takes a millisecond at most. */
const MAX_LENGTH = 200;
const MAX_SEGMENTS = 8;

/**
 * The largest distance of a path from a template. A segment that is misspelt or cut off counts 0.5, a missing or extra
 * one counts 1.
 */
const MAX_DISTANCE = 1.5;

const segmentsOf = (path: string) => path.split("/").filter((segment) => segment !== "");

type CostOf = (sent: string, known: string) => number;

/** Creates a cache of costs: few literals stand in many templates, so each is compared once with each segment. */
function createCosts(): CostOf {
  const costs = new Map<string, number>();
  return (sent, known) => {
    const key = `${sent}/${known}`;
    const cost = costs.get(key) ?? costOfSegment(sent, known);
    costs.set(key, cost);
    return cost;
  };
}

/** Returns the cost of a segment. Ids contain digits; a word in the place of an id is rather a misspelt path. */
function costOfSegment(sent: string, known: string): number {
  if (sent === known) return 0;
  if (known.startsWith("{")) return /\d/.test(sent) ? 0 : 1;
  const isBeginning = sent.length >= 3 && known.startsWith(sent);
  return isBeginning || nearestNames(sent, [known]).length > 0 ? 0.5 : 2;
}
