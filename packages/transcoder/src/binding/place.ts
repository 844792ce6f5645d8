import { holderOf } from "../json-in/json-literals.ts";
import type { FieldPath } from "../rules/route.ts";

/**
 * Where a value is in a request: its name, and the place of the value around it. A chain, because only an error needs it
 * as text.
 */
export interface Place {
  /** Undefined for a part of the request. */
  readonly outer: Place | undefined;
  /** The JSON name of a field, a key of a map, or an index of a list. */
  readonly name: string | number;
  /** The same, as the client spelled it. */
  readonly sent: string | number;
  /** The parsed object or array that has the value under `sent`; undefined outside of JSON. */
  readonly holder?: object | undefined;
}

export type RequestPart = "path" | "query" | "body";

export const PATH: Place = { outer: undefined, name: "path", sent: "path" };
export const QUERY: Place = { outer: undefined, name: "query", sent: "query" };
export const BODY: Place = { outer: undefined, name: "body", sent: "body" };

export function placeIn(outer: Place, name: string | number, sent: string | number = name, holder?: object): Place {
  return { outer, name, sent, holder };
}

/** Returns a place with the text of the number that is there: one that is no part of another value may be rounded, too. */
export function withLiteral(place: Place, literal: string): Place {
  return { ...place, holder: holderOf(place.sent, literal.trim()) };
}

/** Returns the place of a field in a part of the request. */
export function placeOf(part: Place, fields: FieldPath): Place {
  return fields.reduce((outer, { jsonName }) => placeIn(outer, jsonName), part);
}

/** Returns the path as errors name it, such as `items[1].name`, cut after 200 characters: it contains the client's text. */
export function placeText(place: Place): string {
  const names = namesIn(place, "name");
  if (names.length === 0) return NAMES[partOf(place)];
  const text = names.map((name) => (typeof name === "number" ? `[${name}]` : `.${name}`)).join("");
  return text.replace(/^\./, "").slice(0, MAX_TEXT);
}

/** Returns the part of the request that the place is in. */
export function partOf(place: Place): RequestPart {
  let at = place;
  while (at.outer !== undefined) at = at.outer;
  return at.name as RequestPart;
}

/** Returns the names from the outermost on, without that of the part. */
export function namesIn(place: Place, spelling: "name" | "sent"): (string | number)[] {
  const names: (string | number)[] = [];
  for (let at = place; at.outer !== undefined; at = at.outer) names.push(at[spelling]);
  return names.reverse();
}

const MAX_TEXT = 200;

const NAMES: Readonly<Record<RequestPart, string>> = {
  path: "the path",
  query: "the query string",
  body: "request body",
};
