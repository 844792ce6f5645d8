import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { commentOf } from "./comments.ts";
import type { Schema } from "./document.ts";
import type { FieldNotes, OpenapiOptions } from "./openapi-options.ts";
import { scalarSchema, type Way } from "./scalar-schemas.ts";

interface Types {
  message(way: Way, message: DescMessage): Schema;
  enumeration(desc: DescEnum): Schema;
}

/** Returns the schema of a field: its type, what is declared about it, and its comment. */
export function fieldSchema(options: OpenapiOptions, way: Way, field: DescField, types: Types): Schema {
  const { schema: declared = {}, deprecated } = notesOf(options, field);
  const { minItems = 0, default: fallback, ...ofValue } = way === "output" ? withoutDefault(declared) : declared;
  const least = minItems || (way !== "output" && isRequired(options, field) ? 1 : 0);
  const description = commentOf(field);
  const rest: Schema = {
    ...(fallback !== undefined && { default: fallback }),
    ...(deprecated === true && { deprecated }),
    ...(description !== "" && { description }),
  };
  const value = { ...valueSchema(way, field, types), ...ofValue };
  switch (field.fieldKind) {
    case "list":
      return { type: "array", items: value, ...(least > 0 && { minItems: least }), ...rest };
    case "map":
      return { type: "object", ...keysOf(field.mapKey), additionalProperties: value, ...rest };
    default:
      return { ...nullableIf(isNullable(options, way, field), atLeast(least, value, field)), ...rest };
  }
}

/** Returns what the program declares about a field. */
function notesOf({ field }: OpenapiOptions, desc: DescField): FieldNotes {
  return field?.(desc) ?? {};
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

function isNullable(options: OpenapiOptions, way: Way, field: DescField): boolean {
  if (way !== "output" || !isTimestamp(field) || field.oneof !== undefined) return false;
  return options.json?.absentTimestamps === "null" && !isRequired(options, field);
}

function nullableIf(isNull: boolean, schema: Schema): Schema {
  return isNull && typeof schema.type === "string" ? { ...schema, type: [schema.type, "null"] } : schema;
}

/** An empty text is the same as an absent one where the field has no presence. */
function atLeast(least: number, schema: Schema, { scalar, presence }: DescField): Schema {
  const isText = scalar === ScalarType.STRING && presence === IMPLICIT;
  return least > 0 && isText && schema.enum === undefined && schema.format === undefined
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

/** google.protobuf.FeatureSet.FieldPresence.IMPLICIT */
const IMPLICIT = 2;
