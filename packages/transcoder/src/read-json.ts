import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { findFieldExactly } from "./find-field.ts";
import { scalarFromJson } from "./read-scalar.ts";
import { invalidParameter, repeatedParameter } from "./transcoding-error.ts";

/**
 * Checks JSON against a message. Returns it with the JSON names of the fields, without unknown fields and nulls, so
 * that reading it into the message cannot fail. Throws the first error as an invalid-parameter with its JSON path below
 * `path`.
 */
export function readMessage(
  message: DescMessage,
  json: JsonValue,
  path: string,
  skip?: ReadonlySet<DescField>,
): JsonObject {
  if (!isObject(json)) throw invalidParameter(path || "request body", "a JSON object");
  const read: JsonObject = {};
  const given = new Set<DescField>();
  const chosen = new Map<string, DescField>();
  for (const [name, value] of Object.entries(json)) {
    const field = findFieldExactly(message, name);
    if (field === undefined || skip?.has(field)) continue;
    const where = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    if (given.has(field)) throw repeatedParameter(where);
    given.add(field);
    if (value === null && !takesNull(field)) continue;
    const other = field.oneof && chosen.get(field.oneof.name);
    if (other) throw invalidParameter(where, `left out where ${other.jsonName} is given`);
    if (field.oneof) chosen.set(field.oneof.name, field);
    read[field.jsonName] = readField(field, value, where);
  }
  return read;
}

/** Checks the JSON of one field, as readMessage does. */
export function readField(field: DescField, json: JsonValue, path: string): JsonValue {
  if (field.fieldKind === "list") {
    if (!Array.isArray(json)) throw invalidParameter(path, "an array");
    return json.map((item, index) => readSingular(field, item, `${path}[${index}]`));
  }
  if (field.fieldKind === "map") {
    if (!isObject(json)) throw invalidParameter(path, "a JSON object");
    const entries = Object.entries(json).map(([key, value]) => [key, readSingular(field, value, `${path}.${key}`)]);
    return Object.fromEntries(entries) as JsonObject;
  }
  return readSingular(field, json, path);
}

/** Returns whether a message has its own JSON form (google.protobuf.Timestamp and similar types). */
export function hasOwnJson(message: DescMessage): boolean {
  return OWN_JSON.has(message.typeName) || isWrapperDesc(message);
}

export function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function readSingular(field: DescField, json: JsonValue, path: string): JsonValue {
  if (field.message)
    return hasOwnJson(field.message) ? readOwnJson(field.message, json, path) : readMessage(field.message, json, path);
  if (field.enum) return readEnum(field.enum, json, path);
  if (field.scalar === undefined) throw invalidParameter(path, "left out");
  return scalarFromJson(field.scalar, json, path);
}

/** Reads an enum's value by name or number. Unknown numbers are accepted, as in proto3. */
export function readEnum(type: DescEnum, json: JsonValue, path: string): JsonValue {
  const known = typeof json === "string" && type.values.some((value) => value.name === json);
  const number = typeof json === "number" && Number.isInteger(json) && Math.abs(json) < 2 ** 31;
  if (json === null && type.typeName === "google.protobuf.NullValue") return json;
  if (!known && !number) throw invalidParameter(path, `one of ${type.values.map((value) => value.name).join(", ")}`);
  return json;
}

/** Reads the JSON of a type with its own form, which also checks it. */
export function readOwnJson(type: DescMessage, json: JsonValue, path: string): JsonValue {
  try {
    const takes = ANY_JSON.get(type.typeName);
    if (takes === undefined) fromJson(type, json);
    else if (!takes(json) || isDeeperThan(MAX_NESTING, json)) throw new TypeError("not taken");
    return json;
  } catch {
    throw invalidParameter(path, OWN_JSON.get(type.typeName) ?? `a valid ${type.typeName}`);
  }
}

// Types that are JSON themselves are not read to be checked: 1 MiB of brackets becomes a million messages.
const ANY_JSON = new Map<string, (json: JsonValue) => boolean>([
  ["google.protobuf.ListValue", (json) => Array.isArray(json)],
  ["google.protobuf.Struct", (json) => isObject(json)],
  ["google.protobuf.Value", () => true],
]);

// One level of JSON is two of google.protobuf.Struct; beyond 100 the other side refuses to decode it. The services take
// 32 levels of metadata, so that every refusal names one limit.
const MAX_NESTING = 32;

function isDeeperThan(levels: number, json: JsonValue): boolean {
  if (typeof json !== "object" || json === null) return false;
  if (levels === 0) return true;
  const values = Array.isArray(json) ? json : Object.values(json);
  return values.some((value) => isDeeperThan(levels - 1, value));
}

function takesNull(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.Value" || field.enum?.typeName === "google.protobuf.NullValue";
}

const OWN_JSON: ReadonlyMap<string, string> = new Map([
  ["google.protobuf.Any", "a JSON object with a known @type"],
  ["google.protobuf.Duration", "a duration in seconds such as 1.5s"],
  ["google.protobuf.FieldMask", "field names separated by commas"],
  ["google.protobuf.ListValue", "an array nested at most 32 deep"],
  ["google.protobuf.Struct", "a JSON object nested at most 32 deep"],
  ["google.protobuf.Timestamp", "an RFC 3339 timestamp"],
  ["google.protobuf.Value", "a JSON value nested at most 32 deep"],
]);
