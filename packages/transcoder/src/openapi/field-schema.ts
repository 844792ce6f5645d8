import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { commentOf } from "./comments.ts";
import type { Schema } from "./document.ts";
import type { FieldNotes, OpenapiOptions } from "./openapi-options.ts";

/** The place of a value: the JSON of a request ("input") or of a reply ("output"), or the text of a path or a query. */
export type Way = "input" | "output" | "text";

interface Types {
  message(way: Way, message: DescMessage): Schema;
  enumeration(desc: DescEnum): Schema;
}

/** Returns the schema of a field: its type, what is declared about it, and its comment. */
export function fieldSchema(options: OpenapiOptions, way: Way, field: DescField, types: Types): Schema {
  const { schema: declared = {}, deprecated } = notesOf(options, field);
  const { minItems = 0, default: fallback, ...ofValue } = way === "output" ? withoutDefault(declared) : declared;
  const min = minItems || (way !== "output" && isRequired(options, field) ? 1 : 0);
  const description = commentOf(field);
  const rest: Schema = {
    ...(fallback !== undefined && { default: fallback }),
    ...(deprecated === true && { deprecated }),
    ...(description !== "" && { description }),
  };
  const value = { ...valueSchema(way, field, types), ...ofValue };
  switch (field.fieldKind) {
    case "list":
      return { type: "array", items: value, ...(min > 0 && { minItems: min }), ...rest };
    case "map":
      return { type: "object", ...keysOf(field.mapKey), additionalProperties: value, ...rest };
    default:
      return { ...nullableIf(isNullable(options, way, field), atLeast(min, value, field)), ...rest };
  }
}

export function isRequired(options: OpenapiOptions, field: DescField): boolean {
  return notesOf(options, field).required === true;
}

/** Whether every reply contains a field. */
export function isAlwaysWritten(options: OpenapiOptions, field: DescField): boolean {
  const { defaults, absentTimestamps } = options.json ?? {};
  if (isPlural(field) || field.presence === IMPLICIT) return defaults === "write";
  if (isTimestamp(field) && absentTimestamps === "null" && field.oneof === undefined) return true;
  return isRequired(options, field);
}

/** Returns the schema of a type that ProtoJSON has a form of its own for; undefined for any other. */
export function wellKnownSchema(way: Way, { typeName }: DescMessage): Schema | undefined {
  const wrapped = WRAPPED[typeName];
  if (wrapped === undefined) return SCHEMAS[typeName];
  return scalarSchema(way, wrapped);
}

const SCHEMAS: Readonly<Record<string, Schema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$", examples: ["1.5s"] },
  "google.protobuf.FieldMask": { type: "string", examples: ["name,author.email"] },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.ListValue": { type: "array", items: {} },
  "google.protobuf.Value": {},
  "google.protobuf.Empty": { type: "object" },
  "google.protobuf.Any": {
    type: "object",
    properties: { "@type": { type: "string", description: "The type of the message, as a URL." } },
    additionalProperties: true,
  },
};

const WRAPPED: Readonly<Record<string, ScalarType>> = {
  "google.protobuf.DoubleValue": ScalarType.DOUBLE,
  "google.protobuf.FloatValue": ScalarType.FLOAT,
  "google.protobuf.Int64Value": ScalarType.INT64,
  "google.protobuf.UInt64Value": ScalarType.UINT64,
  "google.protobuf.Int32Value": ScalarType.INT32,
  "google.protobuf.UInt32Value": ScalarType.UINT32,
  "google.protobuf.BoolValue": ScalarType.BOOL,
  "google.protobuf.StringValue": ScalarType.STRING,
  "google.protobuf.BytesValue": ScalarType.BYTES,
};

/** Returns what the program declares about a field. */
function notesOf({ field }: OpenapiOptions, desc: DescField): FieldNotes {
  return field?.(desc) ?? {};
}

function isNullable(options: OpenapiOptions, way: Way, field: DescField): boolean {
  if (way !== "output" || !isTimestamp(field) || field.oneof !== undefined) return false;
  return options.json?.absentTimestamps === "null" && !isRequired(options, field);
}

function nullableIf(isNull: boolean, schema: Schema): Schema {
  return isNull && typeof schema.type === "string" ? { ...schema, type: [schema.type, "null"] } : schema;
}

/** Requires a text not to be empty where the field has no presence: an empty text is the same as an absent one. */
function atLeast(min: number, schema: Schema, { scalar, presence }: DescField): Schema {
  const isText = scalar === ScalarType.STRING && presence === IMPLICIT;
  return min > 0 && isText && schema.enum === undefined && schema.format === undefined
    ? { minLength: 1, ...schema }
    : schema;
}

function valueSchema(way: Way, field: DescField, types: Types): Schema {
  if (field.message) return types.message(way, field.message);
  if (field.enum) return types.enumeration(field.enum);
  return scalarSchema(way, field.scalar ?? ScalarType.STRING);
}

function keysOf(key: ScalarType): Pick<Schema, "propertyNames"> {
  if (key === ScalarType.STRING) return {};
  if (key === ScalarType.BOOL) return { propertyNames: { enum: ["true", "false"] } };
  return { propertyNames: { pattern: "^-?[0-9]+$" } };
}

function withoutDefault({ default: _default, ...schema }: Schema): Schema {
  return schema;
}

function isPlural({ fieldKind }: DescField): boolean {
  return fieldKind === "list" || fieldKind === "map";
}

function isTimestamp({ fieldKind, message }: DescField): boolean {
  return fieldKind === "message" && message.typeName === "google.protobuf.Timestamp";
}

/** The value of google.protobuf.FeatureSet.FieldPresence.IMPLICIT. */
export const IMPLICIT = 2;

/**
 * Returns the schema of a scalar. ProtoJSON writes integers of 64 bits as strings and reads both forms; a `double` may
 * also be one of three strings.
 */
function scalarSchema(way: Way, type: ScalarType): Schema {
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
      return real(way, "double");
    case ScalarType.FLOAT:
      return real(way, "float");
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", format: "uint32", minimum: 0 };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return large(way, { format: "uint64", minimum: 0, pattern: "^[0-9]+$" });
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return large(way, { format: "int64", pattern: "^-?[0-9]+$" });
    default:
      return { type: "integer", format: "int32" };
  }
}

function real(way: Way, format: string): Schema {
  const number: Schema = { type: "number", format };
  return way === "output" ? { anyOf: [number, { enum: ["NaN", "Infinity", "-Infinity"] }] } : number;
}

/** Returns the schema of an integer of 64 bits. A parameter is text anyway, so its schema says what the text means. */
function large(way: Way, { minimum, pattern, ...schema }: Schema & { readonly pattern: string }): Schema {
  const min = minimum === undefined ? {} : { minimum };
  switch (way) {
    case "text":
      return { type: "integer", ...schema, ...min };
    case "input":
      return { type: ["integer", "string"], ...schema, ...min, pattern };
    case "output":
      return { type: "string", ...schema, pattern };
  }
}
