import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { commentOf } from "./comments.ts";
import type { Schema } from "./document.ts";

/** Collects the schemas of messages by their short name. */
export interface SchemaCollection {
  readonly schemas: ReadonlyMap<string, Schema>;
  /** Returns a message's schema, as a reference to a component. */
  refer(message: DescMessage): Schema;
  /** Returns a field's schema, with its comment. */
  field(field: DescField): Schema;
  /** Returns the schema of a request body with the given fields, of which only `required` are required. */
  body(fields: readonly DescField[], required: readonly string[]): Schema;
}

/** Creates an empty collection. Throws if two messages have the same short name. */
export function createSchemaCollection(): SchemaCollection {
  const schemas = new Map<string, Schema>();
  const typeNames = new Map<string, string>();

  function refer(message: DescMessage): Schema {
    const own = WELL_KNOWN[message.typeName];
    if (own) return own;
    const earlier = typeNames.get(message.name);
    if (earlier !== undefined && earlier !== message.typeName)
      throw new Error(`${earlier} and ${message.typeName} would be one schema`);
    if (earlier === undefined) {
      typeNames.set(message.name, message.typeName);
      schemas.set(message.name, record(message));
    }
    return { $ref: `#/components/schemas/${message.name}` };
  }

  // Fields that a reply always contains are required: all but absent messages and fields with presence.
  function record(message: DescMessage): Schema {
    const always = message.fields.filter(
      (field) =>
        isTimestamp(field) ||
        (field.fieldKind !== "message" && field.presence === IMPLICIT) ||
        field.fieldKind === "list",
    );
    return described(
      object(
        message.fields,
        always.map((field) => field.jsonName),
      ),
      commentOf(message),
    );
  }

  function object(fields: readonly DescField[], required: readonly string[]): Schema {
    const properties = Object.fromEntries(fields.map((one) => [one.jsonName, field(one)]));
    return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
  }

  function field(desc: DescField): Schema {
    const single = desc.message
      ? refer(desc.message)
      : desc.scalar === undefined
        ? { type: "string" }
        : scalarSchema(desc.scalar);
    if (desc.fieldKind === "list") return described({ type: "array", items: single }, commentOf(desc));
    if (desc.fieldKind === "map") return described({ type: "object", additionalProperties: single }, commentOf(desc));
    return described(single, commentOf(desc));
  }

  return { schemas, refer, field, body: object };
}

function described(schema: Schema, description: string): Schema {
  return description === "" ? schema : { ...schema, description };
}

function isTimestamp(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.Timestamp";
}

function scalarSchema(type: ScalarType): Schema {
  switch (type) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", format: "byte" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    default:
      return { type: "integer" };
  }
}

// google.protobuf.FeatureSet.FieldPresence.IMPLICIT
const IMPLICIT = 2;

const WELL_KNOWN: Readonly<Record<string, Schema>> = {
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.Timestamp": { type: ["string", "null"], format: "date-time" },
};
