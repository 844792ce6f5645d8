import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { invalidParameter, unknownParameter } from "../errors/transcoding-error.ts";
import { type MapField, readMapKey } from "../json-in/read-json.ts";
import { hasOwnJson } from "../json-in/read-own-json.ts";
import { QUERY_LIMITS } from "./binding-options.ts";
import { findField, findFieldExactly, findNearest } from "./find-field.ts";
import { type Place, placeIn, QUERY } from "./place.ts";
import type { Reading } from "./reading.ts";

/** What the name of a query parameter means. */
export interface QueryParameter {
  /** The fields and keys of maps that lead to the value, from the request message on. */
  readonly steps: readonly Step[];
  /** The field of the value: the last step, or the map of the entry that is. */
  readonly field: DescField;
  readonly place: Place;
}

export type Step = DescField | MapKey;

interface MapKey {
  readonly kind: "key";
  readonly jsonName: string;
  readonly oneof: undefined;
}

/**
 * Finds what a parameter names: fields by JSON or proto name, nested ones as `a.b` or `a[b]`, keys of maps the same way,
 * and a list also as `a[]`. Returns undefined for an unknown name if the options ignore it, or throws a violation.
 */
export function resolveParameter(reading: Reading, message: DescMessage, name: string): QueryParameter | undefined {
  const { queryLimits: { depth = QUERY_LIMITS.depth } = {}, unknownParameters } = reading.options;
  const found: Search = { steps: [], field: undefined, within: message, place: QUERY };
  const parts = cutName(name);
  for (const [index, part] of parts.entries()) {
    const isMark = part === "" && index > 0 && index === parts.length - 1 && found.field?.fieldKind === "list";
    if (!isMark && !step(reading, found, part)) {
      // To create an error takes longer than to find the name, and a query may have 10,000 of them.
      if (unknownParameters === "ignore") return undefined;
      throw unknownName(found, parts.slice(index));
    }
    if (found.steps.length > depth) throw invalidParameter(found.place, `nested at most ${depth} deep`);
  }
  return found.field && { steps: found.steps, field: found.field, place: found.place };
}

interface Search {
  readonly steps: Step[];
  field: DescField | undefined;
  /** The message, or the map, that the next part is in; undefined if the field has no parts. */
  within: DescMessage | MapField | undefined;
  place: Place;
}

/** Takes one part of a name; returns whether it names anything. */
function step(reading: Reading, found: Search, part: string): boolean {
  const { within } = found;
  if (within?.kind === "field") {
    const jsonName = readMapKey(within, part, found.place);
    found.steps.push({ kind: "key", jsonName, oneof: undefined });
    found.within = partsOf(within.message);
    found.place = placeIn(found.place, jsonName, part);
    return true;
  }
  const find = reading.options.parameterNames === "any-case" ? findField : findFieldExactly;
  const field = within && find(within, part);
  if (field === undefined) return false;
  found.steps.push(field);
  found.field = field;
  found.within = field.fieldKind === "map" ? field : field.fieldKind === "message" ? partsOf(field.message) : undefined;
  found.place = placeIn(found.place, field.jsonName, part);
  return true;
}

function partsOf(message: DescMessage | undefined): DescMessage | undefined {
  return message && !hasOwnJson(message) ? message : undefined;
}

function unknownName({ within, place }: Search, parts: readonly string[]) {
  const nearest = within?.kind === "message" ? findNearest(within, parts[0] ?? "", place) : [];
  return unknownParameter(
    parts.reduce((outer, part) => placeIn(outer, part), place),
    nearest,
  );
}

/** Cuts `a.b[c]` into its parts. A name with a bracket that is not closed, or with text after a closed one, is one part. */
function cutName(name: string): string[] {
  const parts: string[] = [];
  for (let at = 0; ; at++) {
    const from = at;
    while (at < name.length && name[at] !== "." && name[at] !== "[") at++;
    parts.push(name.slice(from, at));
    while (name[at] === "[") {
      const close = name.indexOf("]", at);
      if (close < 0) return [name];
      parts.push(name.slice(at + 1, close));
      at = close + 1;
    }
    if (at === name.length) return parts;
    if (name[at] !== ".") return [name];
  }
}
