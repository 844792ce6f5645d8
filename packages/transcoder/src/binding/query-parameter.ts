import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { invalidParameter, type TranscodingError, unknownParameter } from "../errors/transcoding-error.ts";
import { type MapField, readMapKey } from "../json-in/read-json.ts";
import { hasOwnJson } from "../json-in/read-own-json.ts";
import type { Reading } from "./bind-request.ts";
import { QUERY_LIMITS } from "./binding-options.ts";
import { cutName, nextPart } from "./parameter-name.ts";
import { findField, findFieldExactly, findNearest, type Place, placeIn, QUERY } from "./place.ts";

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
  const { queryLimits: { depth = QUERY_LIMITS.depth } = {}, unknownParameters, parameterNames } = reading.options;
  const found: Search = { steps: [], field: undefined, within: message, place: QUERY };
  // To create an error takes longer than to find the name, and a query may have 10,000 of them.
  const refuse = (unknown: () => TranscodingError): undefined => {
    if (unknownParameters !== "ignore") throw unknown();
  };
  for (let at: number | undefined = 0; at !== undefined; ) {
    const within = found.within?.kind === "message" ? found.within : undefined;
    const part = nextPart(name, at, within, parameterNames);
    if (part === undefined) return refuse(() => unknownName({ within: message, place: QUERY }, [name]));
    const isMark = part.text === "" && at > 0 && part.next === undefined && found.field?.fieldKind === "list";
    if (!isMark && !step(reading, found, part.text)) {
      const from = at;
      return refuse(() => unknownName(found, cutName(name, from)));
    }
    if (found.steps.length > depth) throw invalidParameter(found.place, `nested at most ${depth} deep`);
    at = part.next;
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

function unknownName({ within, place }: Pick<Search, "within" | "place">, parts: readonly string[]) {
  const nearest = within?.kind === "message" ? findNearest(within, parts[0] ?? "", place) : [];
  return unknownParameter(
    parts.reduce((outer, part) => placeIn(outer, part), place),
    nearest,
  );
}
