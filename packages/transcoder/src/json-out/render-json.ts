import {
  create,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type JsonWriteOptions,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import { isObject } from "../json-in/json-literals.ts";
import { createEntries } from "../json-in/read-json.ts";
import { ANY, hasOwnJson } from "../json-in/read-own-json.ts";

/** The form in which replies are written. An absent option is as ProtoJSON has it by default. */
export interface JsonOptions {
  /** Whether a field without presence is written if it has its default value; "omit" if absent. */
  readonly defaults?: "omit" | "write";
  /** The spelling of field names; "json" if absent. */
  readonly names?: "json" | "proto";
  /** The form of enum values; "names" if absent. */
  readonly enums?: "names" | "numbers";
  /** Fractional digits of timestamps: as many of 0, 3, 6 or 9 as are needed, or always 3; "exact" if absent. */
  readonly timestamps?: "exact" | "milliseconds";
  /** Whether an absent timestamp outside of a oneof is written as `null`; "omit" if absent. */
  readonly absentTimestamps?: "omit" | "null";
  /** The types that google.protobuf.Any may hold; none if absent. */
  readonly registry?: Registry;
}

/**
 * Renders a reply, or only its response field, as proto3 JSON: fields in the order of the proto file, and map entries
 * in the order of their keys, so that equal messages have equal bytes.
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

/** Thrown instead of an answer over the limit. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

/**
 * Writes a reply as `JSON.stringify` does, item by item, and stops at the first one that takes it over the limit: a
 * character of a message takes up to six in JSON, so 16 MiB of them become 96 MiB.
 *
 * @throws AnswerTooLarge over `limit` bytes of UTF-8.
 */
export function writeJson(reply: JsonValue, limit: number): string {
  let room = limit;
  const write = (json: JsonValue, levels: number): string => {
    if (levels > 0 && Array.isArray(json)) return `[${json.map((item) => write(item, levels - 1)).join(",")}]`;
    if (levels > 0 && typeof json === "object" && json !== null) {
      return `{${Object.entries(json)
        .map(([key, value]) => `${JSON.stringify(key)}:${write(value, levels - 1)}`)
        .join(",")}}`;
    }
    const text = JSON.stringify(json);
    room -= Buffer.byteLength(text);
    if (room < 0) throw new AnswerTooLarge(`an answer over ${limit} bytes`);
    return text;
  };
  const text = write(reply, LEVELS);
  // The count above leaves out brackets, commas and names, which are few.
  if (Buffer.byteLength(text) > limit) throw new AnswerTooLarge(`an answer over ${limit} bytes`);
  return text;
}

/** The levels that are written one by one: the fields of a reply, and the items of its lists. */
const LEVELS = 2;

/** The only form that the compiled writers write. */
export const COMPILED_FORM: JsonOptions = {
  defaults: "write",
  timestamps: "milliseconds",
  absentTimestamps: "null",
};

/** Whether replies are in the form that the compiled writers write. */
export function isCompiledForm({ defaults, names, enums, timestamps, absentTimestamps }: JsonOptions): boolean {
  return (
    defaults === "write" &&
    (names ?? "json") === "json" &&
    (enums ?? "names") === "names" &&
    timestamps === "milliseconds" &&
    absentTimestamps === "null"
  );
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

/** Arranges an Any: the URL first, then the content as any message. */
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
