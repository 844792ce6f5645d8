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
import { invalidParameter } from "./transcoding-error.ts";

/**
 * Checks JSON against a message and answers it with the JSON names of the fields, without what the message does not
 * know and without nulls, so that reading it into the message cannot fail. The first fault is thrown as an
 * invalid-parameter, named by its JSON path below `path`.
 */
export function readMessage(
  message: DescMessage,
  json: JsonValue,
  path: string,
  skip?: ReadonlySet<DescField>,
): JsonObject {
  if (!isObject(json)) throw invalidParameter(path || "request body", "a JSON object");
  const read: JsonObject = {};
  const chosen = new Map<string, DescField>();
  for (const [name, value] of Object.entries(json)) {
    const field = findFieldExactly(message, name);
    if (field === undefined || skip?.has(field) || (value === null && !takesNull(field))) continue;
    const where = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    if (Object.hasOwn(read, field.jsonName)) throw invalidParameter(where, "given once");
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

/** Whether a message has a JSON form of its own (google.protobuf.Timestamp and its like). */
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

/** An enum's value by name or number; unknown numbers pass, as proto3 has it. */
export function readEnum(type: DescEnum, json: JsonValue, path: string): JsonValue {
  const known = typeof json === "string" && type.values.some((value) => value.name === json);
  const number = typeof json === "number" && Number.isInteger(json) && Math.abs(json) < 2 ** 31;
  if (json === null && type.typeName === "google.protobuf.NullValue") return json;
  if (!known && !number) throw invalidParameter(path, `one of ${type.values.map((value) => value.name).join(", ")}`);
  return json;
}

/** The JSON of a type that has a form of its own, checked by reading it. */
export function readOwnJson(type: DescMessage, json: JsonValue, path: string): JsonValue {
  try {
    if (nesting(json) > 40) throw new RangeError("nested too deep");
    fromJson(type, json);
    return json;
  } catch {
    throw invalidParameter(path, OWN_JSON.get(type.typeName) ?? `a valid ${type.typeName}`);
  }
}

// One level of JSON is two of google.protobuf.Struct; beyond 100 the other side refuses to decode it.
function nesting(json: JsonValue): number {
  if (typeof json !== "object" || json === null) return 0;
  return 1 + Math.max(0, ...Object.values(json).map(nesting));
}

function takesNull(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.Value" || field.enum?.typeName === "google.protobuf.NullValue";
}

const OWN_JSON: ReadonlyMap<string, string> = new Map([
  ["google.protobuf.Any", "a JSON object with a known @type"],
  ["google.protobuf.Duration", "a duration in seconds such as 1.5s"],
  ["google.protobuf.FieldMask", "field names separated by commas"],
  ["google.protobuf.ListValue", "an array nested at most 40 deep"],
  ["google.protobuf.Struct", "a JSON object nested at most 40 deep"],
  ["google.protobuf.Timestamp", "an RFC 3339 timestamp"],
  ["google.protobuf.Value", "a JSON value nested at most 40 deep"],
]);
