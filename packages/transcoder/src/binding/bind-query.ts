import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import {
  invalidParameter,
  repeatedParameter,
  TranscodingError,
  unknownParameter,
} from "../errors/transcoding-error.ts";
import { isObject } from "../json-in/json-literals.ts";
import { createEntries, type MapField, readMapKey } from "../json-in/read-json.ts";
import { hasOwnJson } from "../json-in/read-own-json.ts";
import { percentDecode } from "../rules/path-template.ts";
import type { Route } from "../rules/route.ts";
import { cutName, nextPart } from "./parameter-name.ts";
import { findField, findFieldExactly, findNearest, type Place, placeIn, QUERY } from "./place.ts";
import { readMapText, readText } from "./read-text.ts";
import { QUERY_LIMITS, type Reading } from "./reading.ts";

/**
 * Binds the query string to fields of the request message, into `into`, a JSON object with JSON names. A singular field
 * is given once, and one member of a oneof. The fields of the body and of the path are not bound by a query: such a
 * parameter is refused, unless it repeats the value in the path, or ignored, as the options say.
 */
export function bindQuery(reading: Reading, route: Route, query: string, into: JsonObject): void {
  const { options } = reading;
  if (route.body === "whole" && options.unknownParameters === "ignore") return;
  const target: Target = { into, whole: new Set() };
  const skipsEmpty = options.emptyParameters === "ignore";
  for (const [name, value] of splitQuery(reading, query)) {
    if (skipsEmpty && value === "" && name !== undefined) continue;
    reading.attempt(() => {
      const parameter = findParameter(reading, route, name);
      if (parameter !== undefined) place(target, parameter, readParameter(reading, parameter, value));
    });
  }
}

type Part = readonly [name: string | undefined, value: string | undefined];

/** Splits and decodes a query string; a name or value with a malformed escape is undefined. */
function splitQuery({ options }: Reading, query: string): Part[] {
  const { count, length } = { ...QUERY_LIMITS, ...options.queryLimits };
  if (query.length > length) throw new TranscodingError("query-too-long", { limit: length });
  const parts = query.split("&").filter((part) => part !== "");
  if (parts.length > count) throw invalidParameter(QUERY, `of at most ${count} parameters`);
  return parts.map((part) => {
    const equals = part.indexOf("=");
    const name = decode(equals < 0 ? part : part.slice(0, equals));
    return [name, equals < 0 ? "" : decode(part.slice(equals + 1))];
  });
}

function decode(text: string): string | undefined {
  return percentDecode(text.replaceAll("+", " "));
}

/** Returns what a name means; undefined for a parameter to ignore. Throws a violation for one to refuse. */
function findParameter(reading: Reading, route: Route, name: string | undefined): QueryParameter | undefined {
  const { unknownParameters, pathConflicts } = reading.options;
  if (name === undefined) throw invalidParameter(QUERY, "percent-encoded UTF-8");
  if (name === "" && unknownParameters !== "ignore") throw invalidParameter(QUERY, "of parameters with names");
  const parameter = resolveParameter(reading, route.method.input, name);
  if (parameter === undefined) return undefined;
  const { steps } = parameter;
  if (route.variables.some((fields) => startsWith(steps, fields)))
    return pathConflicts === "ignore" ? undefined : parameter;
  if (route.body !== "whole" && route.body !== steps[0]) return parameter;
  if (unknownParameters === "ignore") return undefined;
  throw invalidParameter(parameter.place, "in the body");
}

function readParameter(
  reading: Reading,
  { steps, field, place }: QueryParameter,
  value: string | undefined,
): JsonValue {
  if (value === undefined) throw invalidParameter(place, "percent-encoded UTF-8");
  const isWholeMap = field.fieldKind === "map" && steps.at(-1) === field;
  if (isWholeMap) return readMapText(reading, field, value, place);
  return readText(reading, field, value, place, () => reading.options.nearestIntegers?.(field) ?? false);
}

function startsWith(steps: readonly Step[], fields: readonly Step[]): boolean {
  return fields.length <= steps.length && fields.every((field, index) => field === steps[index]);
}

interface Target {
  readonly into: JsonObject;
  /** The objects that one parameter gave as a whole, as JSON. */
  readonly whole: Set<JsonValue>;
}

/** Places the value of a parameter. One of 10,000 items of a list takes as long as the first: nothing is copied. */
function place({ into, whole }: Target, parameter: QueryParameter, value: JsonValue): void {
  let at = into;
  const { steps, field, place } = parameter;
  for (const [index, step] of steps.entries()) {
    const { jsonName, oneof } = step;
    const rival = oneof?.fields.find((other) => other !== step && Object.hasOwn(at, other.jsonName));
    if (rival !== undefined) throw invalidParameter(place, `left out where ${rival.jsonName} is given`);
    const present = Object.hasOwn(at, jsonName) ? at[jsonName] : undefined;
    if (index < steps.length - 1) {
      if (present !== undefined && (!isObject(present) || whole.has(present))) throw repeatedParameter(place);
      at[jsonName] = present ?? createEntries();
      at = at[jsonName] as JsonObject;
    } else if (field.fieldKind === "list") {
      if (Array.isArray(present)) present.push(value);
      else at[jsonName] = [value];
    } else if (present === undefined) {
      at[jsonName] = value;
      if (isObject(value)) whole.add(value);
    } else {
      throw repeatedParameter(place);
    }
  }
}

/** The meaning of a query parameter's name. */
interface QueryParameter {
  /** The fields and keys of maps that lead to the value, from the request message on. */
  readonly steps: readonly Step[];
  /** The field of the value: the last step, or the map of the entry that is. */
  readonly field: DescField;
  readonly place: Place;
}

type Step = DescField | MapKey;

interface MapKey {
  readonly kind: "key";
  readonly jsonName: string;
  readonly oneof: undefined;
}

/**
 * Finds what a parameter names: fields by JSON or proto name, nested ones as `a.b` or `a[b]`, keys of maps the same
 * way, and a list also as `a[]`. Returns undefined for an unknown name if the options ignore it, or throws a violation.
 */
function resolveParameter(reading: Reading, message: DescMessage, name: string): QueryParameter | undefined {
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
