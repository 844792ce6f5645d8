import { STATUS_CODES } from "node:http";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { hasOwnJson, type Route } from "../index.ts";
import type { Content, Header, Response, Schema } from "./document.ts";
import { IMPLICIT } from "./field-schema.ts";
import type { Failure, OpenapiOptions, OperationNotes } from "./openapi-options.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Describes the responses of a route by status: first the success, then the failures in the order of status. */
export function describeResponses(
  route: Route,
  notes: OperationNotes,
  options: OpenapiOptions,
  schemas: SchemaCollection,
): Record<string, Response> {
  const { status = 200, failures, bodiless = {} } = notes;
  const success = withHeaders({ ...options.responseHeaders, ...notes.headers }, { description: phraseOf(status) });
  const others = Object.entries(bodiless).map(([code, { description, headers }]) => {
    return [code, withHeaders({ ...options.responseHeaders, ...headers }, { description })] as const;
  });
  const responses = {
    [status]: status === 204 ? success : { ...success, content: replyContent(route, schemas) },
    ...Object.fromEntries(others),
  };
  if (failures === undefined) return { ...responses, ...usualFailures(route, options) };
  const byStatus = Map.groupBy(failures, (failure) => failure.status);
  const sorted = [...byStatus].toSorted(([a], [b]) => a - b);
  const failed = sorted.map(([code, group]) => [code, describeFailures(group, options)] as const);
  return { ...responses, ...Object.fromEntries(failed) };
}

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

/** The bodies of errors, unless a hook renders them. */
const ERROR_CONTENT: Content = {
  "application/json": { schema: { $ref: "#/components/schemas/google.rpc.Status" } },
};

const DETAILS: Schema = {
  type: "array",
  description: "Each has its type as `@type`, such as `type.googleapis.com/google.rpc.BadRequest`.",
  items: { type: "object", properties: { "@type": { type: "string" } }, additionalProperties: true },
};

/** The schemas that `ERROR_CONTENT` refers to. */
export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  "google.rpc.Status": {
    type: "object",
    description: "An error, as google/rpc/status.proto has it.",
    properties: {
      code: { type: "integer", description: "The number of a google.rpc.Code.", minimum: 1, maximum: 16 },
      message: { type: "string" },
      details: DETAILS,
    },
    required: ["code", "message", "details"],
  },
};

/** Describes the body of a success; a stream in each form that a client can accept. */
function replyContent({ responseField, method }: Route, schemas: SchemaCollection): Content {
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

/**
 * Whether an absent field is written as `null`. An absent message without a JSON form of its own is written as `{}`.
 */
function isNullWhenAbsent({ fieldKind, message, presence }: DescField): boolean {
  if (fieldKind === "list" || fieldKind === "map") return false;
  return message === undefined ? presence !== IMPLICIT : hasOwnJson(message);
}

/** Describes a stream. The media types of sequences have the schema of one record, as in OpenAPI 3.2 `itemSchema`. */
function streamContent(record: Schema): Content {
  const description = 'One record of the stream. After an error in its middle, the last one is `{"error": …}`.';
  return {
    "application/json": { schema: { type: "array", items: record } },
    "application/x-ndjson": { schema: { ...record, description } },
    "text/event-stream": { schema: { ...record, description } },
  };
}

function describeFailures(failures: readonly Failure[], options: OpenapiOptions): Response {
  const headers = Object.assign({}, options.responseHeaders, ...failures.map((failure) => failure.headers ?? {}));
  const description = failures.map(({ code, message }) => `\`${code}\`: ${message}`).join("\n\n");
  const content = options.errorContent ?? (() => ERROR_CONTENT);
  return { ...withHeaders(headers, { description }), content: content(failures.map(({ code }) => code)) };
}

function usualFailures({ body }: Route, options: OpenapiOptions): Record<string, Response> {
  const of = (description: string) => ({
    ...withHeaders({ ...options.responseHeaders }, { description }),
    content: ERROR_CONTENT,
  });
  const ofBody = { "413": of("The body is too large."), "415": of("The body is not JSON.") };
  return {
    "400": of("The path, the query or the body is not what the request takes; `details` has every violation."),
    ...(body === "none" ? {} : ofBody),
    default: of("Any other error of the call, with the status that its code maps to."),
  };
}

function withHeaders(headers: Readonly<Record<string, Header>>, response: Response): Response {
  return Object.keys(headers).length === 0 ? response : { ...response, headers };
}

function phraseOf(status: number): string {
  return status === 204 ? "Done; there is no body." : `${STATUS_CODES[status] ?? "Done"}.`;
}
