import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { hasOwnJson, isObject } from "./read-json.ts";

/**
 * Renders a reply, or only its response field, as proto3 JSON: fields in the order of the proto file, including every
 * field without presence; Timestamps with exactly three fractional digits, and `null` if absent.
 */
export function renderJson(schema: DescMessage, reply: Message, only: DescField | undefined): JsonValue {
  const json = toJson(schema, reply, { alwaysEmitImplicit: true });
  const rendered = arrangeMessage(reflect(schema, reply), json);
  if (only === undefined) return rendered;
  return (isObject(rendered) ? rendered[only.jsonName] : undefined) ?? (only.fieldKind === "message" ? {} : null);
}

function arrangeMessage(message: ReflectMessage, json: JsonValue): JsonValue {
  if (message.desc.typeName === TIMESTAMP) return formatTimestamp(message.message as unknown as TimestampParts);
  if (hasOwnJson(message.desc) || !isObject(json)) return json;
  const arranged: JsonObject = {};
  for (const field of message.fields) {
    const value = json[field.jsonName];
    if (value !== undefined) arranged[field.jsonName] = arrangeField(message, field, value);
    else if (field.fieldKind === "message" && field.message.typeName === TIMESTAMP && !field.oneof)
      arranged[field.jsonName] = null;
  }
  return arranged;
}

function arrangeField(message: ReflectMessage, field: DescField, json: JsonValue): JsonValue {
  if (field.fieldKind === "message") return arrangeMessage(message.get(field), json);
  if (field.fieldKind === "list" && field.listKind === "message" && Array.isArray(json)) {
    const items = message.get(field);
    return json.map((item, index) => arrangeItem(items.get(index), item));
  }
  if (field.fieldKind === "map" && field.mapKind === "message" && isObject(json)) {
    const entries = [...message.get(field)].map(([key, value]) => [key, arrangeItem(value, json[String(key)] ?? null)]);
    return Object.fromEntries(entries) as JsonObject;
  }
  return json;
}

function arrangeItem(item: unknown, json: JsonValue): JsonValue {
  return isReflectMessage(item) ? arrangeMessage(item, json) : json;
}

interface TimestampParts {
  readonly seconds: bigint;
  readonly nanos: number;
}

function formatTimestamp({ seconds, nanos }: TimestampParts): string {
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1e6)).toISOString();
}

const TIMESTAMP = "google.protobuf.Timestamp";
