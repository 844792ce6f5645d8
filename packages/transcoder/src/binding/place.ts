import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { holderOf } from "../json-in/json-literals.ts";

import { nearestNames } from "./nearest-names.ts";

/**
 * The place of a value in a request: its name, and the place of the value around it. A chain, because only an error
 * needs it as text.
 */
export interface Place {
  /** The place of the value around; undefined for a part of the request. */
  readonly outer: Place | undefined;
  /** The JSON name of a field, a key of a map, or an index of a list. */
  readonly name: string | number;
  /** The same, as the client spelled it. */
  readonly sent: string | number;
  /** The parsed object or array that has the value under `sent`; undefined outside of JSON. */
  readonly holder?: object | undefined;
}

export type RequestPart = "path" | "query" | "body";

export type FieldPath = readonly DescField[];

/** Returns whether two paths name the same field by way of the same fields. */
export function isSamePath(one: FieldPath, other: FieldPath): boolean {
  return one.length === other.length && one.every((field, index) => field === other[index]);
}

export const PATH: Place = { outer: undefined, name: "path", sent: "path" };
export const QUERY: Place = { outer: undefined, name: "query", sent: "query" };
export const BODY: Place = { outer: undefined, name: "body", sent: "body" };

export function placeIn(outer: Place, name: string | number, sent: string | number = name, holder?: object): Place {
  return { outer, name, sent, holder };
}

/**
 * Returns a place with the text of the number that is there: one that is no part of another value may be rounded, too.
 */
export function withLiteral(place: Place, literal: string): Place {
  return { ...place, holder: holderOf(place.sent, literal.trim()) };
}

/** Returns the place of a field in a part of the request. */
export function placeOf(part: Place, fields: FieldPath): Place {
  return fields.reduce((outer, { jsonName }) => placeIn(outer, jsonName), part);
}

/**
 * Returns the path as errors name it, such as `items[1].name`, cut after 200 characters: it contains the client's text.
 */
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

interface FieldNames {
  readonly exact: ReadonlyMap<string, DescField>;
  readonly folded: ReadonlyMap<string, DescField>;
}

const namesOf = new WeakMap<DescMessage, FieldNames>();

/** Finds a field by its exact JSON or proto name. */
export function findFieldExactly(message: DescMessage, name: string): DescField | undefined {
  return fieldNames(message).exact.get(name);
}

/** Finds a field by its JSON or proto name: by an exact match if there is one, otherwise case-insensitively. */
export function findField(message: DescMessage, name: string): DescField | undefined {
  const names = fieldNames(message);
  return names.exact.get(name) ?? names.folded.get(name.toLowerCase());
}

/** Returns the places of fields, in the message at `outer`, that an unknown name may have meant. */
export function findNearest(message: DescMessage, name: string, outer: Place): Place[] {
  const known = message.fields.map(({ jsonName }) => jsonName);
  return nearestNames(name, known).map((nearest) => placeIn(outer, nearest));
}

function fieldNames(message: DescMessage): FieldNames {
  const known = namesOf.get(message);
  if (known) return known;
  const exact = new Map<string, DescField>();
  const folded = new Map<string, DescField>();
  for (const field of message.fields.toReversed()) {
    for (const name of [field.name, field.jsonName]) {
      exact.set(name, field);
      folded.set(name.toLowerCase(), field);
    }
  }
  // A JSON name takes precedence over the same proto name of another field.
  for (const field of message.fields) exact.set(field.jsonName, field);
  const names = { exact, folded };
  namesOf.set(message, names);
  return names;
}
