import { type DescMessage, ScalarType } from "@bufbuild/protobuf";
import type { Schema } from "./document.ts";
import { scalarSchema, type Way } from "./scalar-schemas.ts";

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
