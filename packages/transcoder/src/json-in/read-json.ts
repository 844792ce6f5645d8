import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { findFieldExactly, findNearest, type Place, placeIn } from "../binding/place.ts";
import type { Reading } from "../binding/reading.ts";
import { invalidParameter, repeatedParameter, unknownParameter } from "../errors/transcoding-error.ts";
import { parseDecimal } from "./decimal.ts";
import { isObject, withoutName } from "./json-literals.ts";
import { ANY, acceptsOf, hasOwnJson, readOwnJson } from "./read-own-json.ts";
import { numberText, scalarFromJson, scalarFromText } from "./read-scalar.ts";

/**
 * Checks JSON against a message. Returns it with the JSON names of the fields, without nulls, unknown fields and the
 * fields in `skip`, so that reading it into the message cannot fail. Adds violations of its fields to `reading`.
 */
export function readMessage(
  reading: Reading,
  message: DescMessage,
  json: JsonValue,
  place: Place,
  skip?: ReadonlySet<DescField>,
): JsonObject {
  if (!isObject(json)) throw invalidParameter(place, "a JSON object");
  const found: Found = { read: {}, given: new Set(), chosen: new Map() };
  for (const [name, value] of Object.entries(json)) {
    const field = findFieldExactly(message, name);
    if (field === undefined) {
      if (reading.options.unknownFields !== "ignore") reading.attempt(() => refuseName(message, name, place));
    } else if (!skip?.has(field)) {
      reading.attempt(() => addField(reading, found, field, value, placeIn(place, field.jsonName, name, json)));
    }
  }
  return found.read;
}

/** The fields of a message that have been read so far. */
interface Found {
  readonly read: JsonObject;
  readonly given: Set<DescField>;
  /** The member that is given, by the name of the oneof. */
  readonly chosen: Map<string, DescField>;
}

function refuseName(message: DescMessage, name: string, place: Place): never {
  throw unknownParameter(placeIn(place, name), findNearest(message, name, place));
}

function addField(reading: Reading, found: Found, field: DescField, value: JsonValue, place: Place): void {
  const { read, given, chosen } = found;
  if (given.has(field)) throw repeatedParameter(place);
  given.add(field);
  if (value === null && !takesNull(field)) return;
  const other = field.oneof && chosen.get(field.oneof.name);
  if (other) throw invalidParameter(place, `left out where ${other.jsonName} is given`);
  if (field.oneof) chosen.set(field.oneof.name, field);
  read[field.jsonName] = readField(reading, field, value, place);
}

/** Checks the JSON of one field, as readMessage does. */
export function readField(reading: Reading, field: DescField, json: JsonValue, place: Place): JsonValue {
  if (field.fieldKind === "list") {
    if (!Array.isArray(json)) throw invalidParameter(place, "an array");
    return json.map(
      (item, index) =>
        reading.attempt(() => readSingular(reading, field, item, placeIn(place, index, index, json))) ?? null,
    );
  }
  if (field.fieldKind === "map") return readMap(reading, field, json, place);
  return readSingular(reading, field, json, place);
}

export type MapField = DescField & { readonly fieldKind: "map" };

function readMap(reading: Reading, field: MapField, json: JsonValue, place: Place): JsonValue {
  if (!isObject(json)) throw invalidParameter(place, "a JSON object");
  const entries = createEntries();
  for (const [name, value] of Object.entries(json)) {
    reading.attempt(() => {
      const key = readMapKey(field, name, place);
      const at = placeIn(place, key, name, json);
      if (key in entries) throw repeatedParameter(at);
      entries[key] = readSingular(reading, field, value, at);
    });
  }
  return entries;
}

/** Creates an object in which any text can be a key, `__proto__` too. */
export function createEntries(): JsonObject {
  return Object.create(null) as JsonObject;
}

/**
 * Returns the key of a map in its one spelling. Whole numbers as keys are digits only: ProtoJSON has no other form of
 * them.
 */
export function readMapKey({ mapKey }: MapField, text: string, place: Place): string {
  try {
    if (mapKey === ScalarType.STRING) return String(scalarFromJson(mapKey, text, place));
    if (mapKey === ScalarType.BOOL || /^-?\d+$/.test(text)) return String(scalarFromText(mapKey, text, place));
  } catch {
    // Refused as any other key.
  }
  throw invalidParameter(placeIn(place, text), `left out: the keys are of type ${ScalarType[mapKey].toLowerCase()}`);
}

/** Checks one value: of a singular field, an item of a list, or the value of a map's entry. */
export function readSingular(reading: Reading, field: DescField, json: JsonValue, place: Place): JsonValue {
  if (field.message) return readMessageValue(reading, field.message, json, place);
  if (field.enum) return readEnum(field.enum, json, place);
  if (field.scalar === undefined) throw invalidParameter(place, "left out");
  return scalarFromJson(field.scalar, json, place);
}

function readMessageValue(reading: Reading, type: DescMessage, json: JsonValue, place: Place): JsonValue {
  if (type.typeName === ANY) return readAny(reading, type, json, place);
  return hasOwnJson(type) ? readOwnJson(reading, type, json, place) : readMessage(reading, type, json, place);
}

/** Checks the JSON of a message of any type of the registry, with its URL as `@type`; `{}` is none. */
function readAny(reading: Reading, any: DescMessage, json: JsonValue, place: Place): JsonValue {
  if (!isObject(json)) throw invalidParameter(place, acceptsOf(reading, any));
  const url = json["@type"];
  if (url === undefined && Object.keys(json).length === 0) return json;
  const name = typeof url === "string" ? url.slice(url.lastIndexOf("/") + 1) : "";
  const type = reading.options.registry?.getMessage(name);
  if (url === undefined || type === undefined) throw invalidParameter(place, acceptsOf(reading, any));
  const rest = withoutName(json, "@type");
  if (!hasOwnJson(type)) return { "@type": url, ...readMessage(reading, type, rest, place) };
  const { value = null, ...others } = rest;
  for (const other of Object.keys(others)) reading.attempt(() => refuseName(type, other, place));
  return { "@type": url, value: readMessageValue(reading, type, value, placeIn(place, "value", "value", rest)) };
}

/** Reads an enum's value by name or number. Unknown numbers are accepted where the enum is open, as in proto3. */
export function readEnum(type: DescEnum, json: JsonValue, place: Place): JsonValue {
  if (json === null && type.typeName === "google.protobuf.NullValue") return json;
  const isName = typeof json === "string" && type.values.some(({ name, jsonName }) => [name, jsonName].includes(json));
  const isKnown =
    isName || (isEnumNumber(json, place) && (type.open || type.values.some(({ number }) => number === json)));
  if (!isKnown) throw invalidParameter(place, `one of ${type.values.map((value) => value.name).join(", ")}`);
  return json;
}

/** Whether a value is a whole number of 32 bits as sent: 0.99999999999999999999 is parsed as 1. */
function isEnumNumber(json: JsonValue, place: Place): json is number {
  const text = typeof json === "number" ? numberText(json, place) : undefined;
  const decimal = typeof text === "string" ? parseDecimal(text) : undefined;
  return decimal !== undefined && decimal.exponent >= 0 && Number(json) >= -(2 ** 31) && Number(json) < 2 ** 31;
}

/** Whether `null` is a value of a field, not its absence. */
export function takesNull(field: DescField): boolean {
  if (field.fieldKind === "list" || field.fieldKind === "map") return false;
  return field.message?.typeName === "google.protobuf.Value" || field.enum?.typeName === "google.protobuf.NullValue";
}
