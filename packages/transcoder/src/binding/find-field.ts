import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { nearestNames } from "./nearest-names.ts";
import { type Place, placeIn } from "./place.ts";

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
