import type { DescField, DescMessage } from "@bufbuild/protobuf";
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

/**
 * Returns those of `names` that differ least from `name`: at most three, in about a third of their letters at most. Case
 * and underscores do not count. A name longer than `maxLength` has none.
 */
export function nearestNames(name: string, names: readonly string[], maxLength = MAX_NAME_LENGTH): string[] {
  const sought = fold(name);
  if (sought.length === 0 || sought.length > maxLength) return [];
  const near = names
    .map((known) => ({ known, distance: distanceOf(sought, fold(known)) }))
    .filter(({ known, distance }) => distance <= Math.ceil(Math.max(sought.length, known.length) / 3));
  const least = Math.min(...near.map(({ distance }) => distance));
  return near
    .filter(({ distance }) => distance === least)
    .slice(0, 3)
    .map(({ known }) => known);
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}

/** Counts the letters to insert, delete or replace. */
function distanceOf(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > one.length / 2) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (one[at - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The work grows with the square of it: for 64 letters and 30 names about 0.1 ms. */
const MAX_NAME_LENGTH = 64;
