import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { hasOwnJson, type Route } from "../index.ts";
import type { Content, Schema } from "./document.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Creates the content of a body that is JSON. */
export function json(schema: Schema): Content {
  return { "application/json": { schema } };
}

/** The content of a body that is passed on as it is, such as an image. */
export const RAW: Content = { "*/*": { schema: {} } };

/** Whether a body is passed on as it is: a google.api.HttpBody. */
export function isRaw(message: DescMessage | undefined): boolean {
  return message?.typeName === "google.api.HttpBody";
}

/** Describes the body of a success: of a stream, in each form that a client can accept. */
export function replyContent({ responseField, method }: Route, schemas: SchemaCollection): Content {
  if (isRaw(responseField === undefined ? method.output : responseField.message)) return RAW;
  const schema =
    responseField === undefined ? schemas.message("output", method.output) : fieldContent(responseField, schemas);
  const kind: string = method.methodKind;
  return kind === "server_streaming" ? streamContent(schema) : json(schema);
}

function fieldContent(field: DescField, schemas: SchemaCollection): Schema {
  const schema = schemas.field("output", field);
  return isNullWhenAbsent(field) ? { anyOf: [schema, { type: "null" }] } : schema;
}

/** An absent message is written as `{}`, anything else that can be absent as `null`. */
function isNullWhenAbsent({ fieldKind, message, presence }: DescField): boolean {
  if (fieldKind === "list" || fieldKind === "map") return false;
  return message === undefined ? presence !== IMPLICIT : hasOwnJson(message);
}

/** The media types of sequences have the schema of one record, as in OpenAPI 3.2 `itemSchema`. */
function streamContent(record: Schema): Content {
  const description = 'One record of the stream. After an error in its middle, the last one is `{"error": …}`.';
  return {
    "application/json": { schema: { type: "array", items: record } },
    "application/x-ndjson": { schema: { ...record, description } },
    "text/event-stream": { schema: { ...record, description } },
  };
}

/** google.protobuf.FeatureSet.FieldPresence.IMPLICIT */
const IMPLICIT = 2;
