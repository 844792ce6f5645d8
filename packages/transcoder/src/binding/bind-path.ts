import { type DescField, type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { invalidParameter } from "../errors/transcoding-error.ts";
import { isObject } from "../json-in/read-json.ts";
import type { FieldPath, Route } from "../rules/route.ts";
import { BODY, PATH, placeOf, QUERY } from "./place.ts";
import { placeLeaf } from "./place-leaf.ts";
import { readText } from "./read-text.ts";
import type { Reading } from "./reading.ts";

/**
 * Binds the variables of the path to fields of the request message, into the JSON of body and query. Their values are
 * final: another one there, or another member of a oneof, is refused or replaced, as the options say.
 */
export function bindPath(
  reading: Reading,
  route: Route,
  values: readonly (string | undefined)[],
  into: JsonObject,
): void {
  for (const [index, fields] of route.variables.entries()) {
    reading.attempt(() => {
      const text = values[index] ?? "";
      const place = placeOf(PATH, fields);
      if (reading.options.dotSegments !== "pass" && hasDotSegments(route, index, text))
        throw invalidParameter(place, "without the segments . and ..");
      const value = readText(reading, fields.at(-1) as DescField, text, place);
      if (reading.options.pathConflicts !== "ignore") assertNoConflict(route, fields, value, into);
      placeLeaf(into, fields, value);
    });
  }
}

/**
 * Whether a value of several segments has one that leads elsewhere where it is taken for a path. In a value of one segment
 * a slash is data, and so are dots.
 */
function hasDotSegments({ template }: Route, index: number, text: string): boolean {
  const { start = 0, end = 0 } = template.variables[index] ?? {};
  const isOne = end - start === 1 && template.segments[start] !== "**";
  return !isOne && /(?:^|\/)\.\.?(?:\/|$)/.test(text);
}

function assertNoConflict(route: Route, fields: FieldPath, value: JsonValue, given: JsonObject): void {
  const part = route.body === "whole" || route.body === fields[0] ? BODY : QUERY;
  let at: JsonValue = given;
  for (const [index, field] of fields.entries()) {
    if (!isObject(at)) return;
    const around: JsonObject = at;
    const rival = field.oneof?.fields.find((other) => other !== field && Object.hasOwn(around, other.jsonName));
    if (rival !== undefined) {
      const place = placeOf(part, [...fields.slice(0, index), rival]);
      throw invalidParameter(place, `left out where the path has ${field.jsonName}`);
    }
    if (!Object.hasOwn(around, field.jsonName)) return;
    at = around[field.jsonName] ?? null;
  }
  if (!isSame(fields.at(-1), at, value)) throw invalidParameter(placeOf(part, fields), "as in the path, or left out");
}

/** Compares two JSON values of one field, each in one of the spellings that the field takes. */
function isSame(field: DescField | undefined, one: JsonValue, other: JsonValue): boolean {
  if (field?.enum !== undefined) {
    const numberOf = (json: JsonValue) => field.enum?.values.find(({ name }) => name === json)?.number ?? json;
    return numberOf(one) === numberOf(other);
  }
  if (field?.scalar !== ScalarType.BYTES) return one === other;
  return Buffer.from(String(one), "base64").equals(Buffer.from(String(other), "base64"));
}
