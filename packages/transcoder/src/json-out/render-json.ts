import {
  create,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type JsonWriteOptions,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { createEntries, isObject } from "../json-in/read-json.ts";
import { ANY, hasOwnJson } from "../json-in/read-own-json.ts";
import type { JsonOptions } from "./json-options.ts";

/**
 * Renders a reply, or only its response field, as proto3 JSON: fields in the order of the proto file, and the entries of
 * maps in that of their keys, so that equal messages have equal bytes.
 */
export function renderJson(
  schema: DescMessage,
  reply: Message,
  only: DescField | undefined,
  options: JsonOptions = {},
): JsonValue {
  const json = toJson(schema, reply, writeOptions(options));
  const rendered = arrangeMessage(options, reflect(schema, reply), json);
  if (only === undefined) return rendered;
  return (isObject(rendered) ? rendered[nameOf(options, only)] : undefined) ?? absentJson(options, schema, only);
}

function writeOptions({ defaults, names, enums, registry }: JsonOptions): Partial<JsonWriteOptions> {
  return {
    alwaysEmitImplicit: defaults === "write",
    useProtoFieldName: names === "proto",
    enumAsInteger: enums === "numbers",
    ...(registry && { registry }),
  };
}

function nameOf({ names }: JsonOptions, field: DescField): string {
  return names === "proto" ? field.name : field.jsonName;
}

/** Returns the JSON of a response field that the reply does not have: an empty message, `null`, or its default. */
function absentJson(options: JsonOptions, schema: DescMessage, field: DescField): JsonValue {
  if (field.fieldKind === "message") return hasOwnJson(field.message) ? null : {};
  const defaults = toJson(schema, create(schema), { ...writeOptions(options), alwaysEmitImplicit: true });
  return (isObject(defaults) ? defaults[nameOf(options, field)] : undefined) ?? null;
}

function arrangeMessage(options: JsonOptions, message: ReflectMessage, json: JsonValue): JsonValue {
  if (message.desc.typeName === TIMESTAMP && options.timestamps === "milliseconds")
    return formatMilliseconds(message.message as unknown as TimestampParts);
  if (message.desc.typeName === ANY) return arrangeAny(options, message.message as Any, json);
  if (hasOwnJson(message.desc) || !isObject(json)) return json;
  const arranged: JsonObject = {};
  for (const field of message.fields) {
    const name = nameOf(options, field);
    const value = json[name];
    if (value !== undefined) arranged[name] = arrangeField(options, message, field, value);
    else if (options.absentTimestamps === "null" && isTimestamp(field) && !field.oneof) arranged[name] = null;
  }
  return arranged;
}

/** The URL first, then the content as any message. */
function arrangeAny(options: JsonOptions, any: Any, json: JsonValue): JsonValue {
  const { "@type": url, ...rest } = isObject(json) ? json : {};
  const content = options.registry && anyUnpack(any, options.registry);
  const type = content && options.registry?.getMessage(content.$typeName);
  if (url === undefined || content === undefined || type === undefined) return json;
  const { value = null } = rest;
  if (hasOwnJson(type)) return { "@type": url, value: arrangeMessage(options, reflect(type, content), value) };
  return { "@type": url, ...(arrangeMessage(options, reflect(type, content), rest) as JsonObject) };
}

function isTimestamp(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === TIMESTAMP;
}

function arrangeField(options: JsonOptions, message: ReflectMessage, field: DescField, json: JsonValue): JsonValue {
  if (field.fieldKind === "message") return arrangeMessage(options, message.get(field), json);
  if (field.fieldKind === "list" && field.listKind === "message" && Array.isArray(json)) {
    const items = message.get(field);
    return json.map((item, index) => arrangeItem(options, items.get(index), item));
  }
  if (field.fieldKind !== "map" || !isObject(json)) return json;
  const entries = createEntries();
  const values = new Map([...message.get(field)].map(([key, value]) => [String(key), value]));
  for (const key of Object.keys(json).sort()) entries[key] = arrangeItem(options, values.get(key), json[key] ?? null);
  return entries;
}

function arrangeItem(options: JsonOptions, item: unknown, json: JsonValue): JsonValue {
  return isReflectMessage(item) ? arrangeMessage(options, item, json) : json;
}

interface TimestampParts {
  readonly seconds: bigint;
  readonly nanos: number;
}

function formatMilliseconds({ seconds, nanos }: TimestampParts): string {
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1e6)).toISOString();
}

const TIMESTAMP = "google.protobuf.Timestamp";
