import { type DescField, type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { codeOf, permissionName, ruleOf } from "@cloud/contract";
import { permission, ScopeSchema, scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Route } from "@cloud/transcoder";
import { statusOf } from "../replies.ts";
import { commentOf, methodComment } from "./comments.ts";
import type { JsonContent, Operation, Parameter, Response, Schema } from "./document.ts";
import { RATE_LIMIT_HEADERS, REFUSAL_HEADERS, referTo } from "./rate-limit-headers.ts";
import type { SchemaCollection } from "./schemas.ts";

/** Describes one route. */
export function describeOperation(route: Route, operationId: string, schemas: SchemaCollection): Operation {
  const { method } = route;
  const { summary, description, reasons } = methodComment(method);
  const free = method.input.fields.filter((field) => !route.variables.some(([first]) => first === field));
  const ofAnswer = statusOf(route) === 204 ? [] : [Reason.ANSWER_TOO_LARGE];
  const failures = [...new Set([...reasons, ...formReasons(route), ...ALWAYS, ...ofAnswer])];
  const needed = hasOption(method, permission) ? permissionName(getOption(method, permission)) : undefined;
  return {
    operationId,
    tags: [tagOf(route)],
    summary,
    description,
    ...(needed === undefined ? {} : { "x-permission": needed }),
    "x-scope": scopeName(method),
    parameters: [
      ...pathParameters(route),
      ...(route.body === "whole" ? [] : queryParameters(free, reasons, schemas)),
      CONTEXT,
    ],
    ...(route.body === "whole" ? { requestBody: bodyOf(free, reasons, schemas) } : {}),
    responses: { ...successOf(route, schemas), ...failureResponses(failures) },
  };
}

function scopeName(method: DescMethod): string {
  return (ScopeSchema.value[getOption(method, scope)]?.name ?? "").replace(/^SCOPE_/, "");
}

/** Returns the section of the reference that a route belongs to. */
export function tagOf({ method }: Route): string {
  return method.parent.name.replace(/Service$/, "");
}

function pathParameters({ variables, method }: Route): Parameter[] {
  return variables.flatMap(([field]) => {
    if (field === undefined) return [];
    const description =
      commentOf(field) || `The ${field.name.replace(/_?id$/, "").replaceAll("_", " ") || subjectOf(method.name)}.`;
    return [{ name: field.jsonName, in: "path", required: true, description, schema: { type: "string" } }];
  });
}

// GetWorkspace -> "workspace"
function subjectOf(methodName: string): string {
  return (methodName.match(/[A-Z][a-z]+/g) ?? []).slice(1).join(" ").toLowerCase();
}

function queryParameters(
  fields: readonly DescField[],
  reasons: readonly Reason[],
  schemas: SchemaCollection,
): Parameter[] {
  return fields.map((field) => {
    const { description = "", ...schema } = schemas.field(field);
    const required = field.jsonName === "orgId" && reasons.includes(Reason.ORG_ID_REQUIRED);
    const parameter = { name: field.jsonName, in: "query" as const, required };
    if (field.fieldKind !== "message") return { ...parameter, description, schema };
    const example = `A JSON object, such as \`{"assigned":false}\`.`;
    return { ...parameter, description: description || example, content: json(schema) };
  });
}

function bodyOf(fields: readonly DescField[], reasons: readonly Reason[], schemas: SchemaCollection) {
  const required = reasons.includes(Reason.ORGANIZATION_ID_REQUIRED) ? ["organizationId"] : [];
  return { required: true, content: json(schemas.body(fields, required)) };
}

function successOf(route: Route, schemas: SchemaCollection): Record<string, Response> {
  const status = statusOf(route);
  const limits = referTo(RATE_LIMIT_HEADERS);
  if (status === 204) return { "204": { description: "Done.", headers: limits } };
  const message = route.responseField?.message ?? route.method.output;
  const location = { Location: { description: "The URL of the record.", schema: { type: "string" } } };
  return {
    [status]: {
      description: status === 201 ? "Created." : "Done.",
      headers: status === 201 ? { ...location, ...limits } : limits,
      content: json(schemas.refer(message)),
    },
  };
}

function failureResponses(reasons: readonly Reason[]): Record<string, Response> {
  const byStatus = Map.groupBy(reasons, (reason) => ruleOf(reason).httpStatus);
  const entries = [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, group]) => {
      const description = group.map((reason) => `\`${codeOf(reason)}\`: ${ruleOf(reason).message}`).join("\n");
      const headers = status === 429 ? { headers: referTo(REFUSAL_HEADERS) } : {};
      return [status, { description, ...headers, content: json({ $ref: "#/components/schemas/Error" }) }];
    });
  return Object.fromEntries(entries) as Record<string, Response>;
}

/** Returns the errors of the form of a request. Any path variable and any query may be encoded wrongly. */
function formReasons({ body, variables }: Route): Reason[] {
  const ofPath = variables.length > 0 ? [Reason.INVALID_PATH] : [];
  const ofBody = body === "whole" ? [Reason.INVALID_JSON, Reason.UNSUPPORTED_MEDIA_TYPE] : [];
  return [...ofPath, Reason.INVALID_PARAMETER, ...ofBody];
}

const ALWAYS: readonly Reason[] = [
  Reason.MALFORMED_REQUEST,
  Reason.HEADERS_TOO_LARGE,
  Reason.REQUEST_TIMEOUT,
  Reason.UNAUTHENTICATED,
  Reason.RATE_LIMITED,
  // Also of an operation without a body, which ignores a smaller one.
  Reason.BODY_TOO_LARGE,
  Reason.INTERNAL,
  Reason.OVERLOADED,
  Reason.UNAVAILABLE,
  Reason.DEADLINE_EXCEEDED,
];

const CONTEXT: Parameter = {
  name: "service-current-orgid",
  in: "header",
  required: false,
  description: "The current organization. Overrides the stored preference.",
  schema: { type: "string" },
};

function json(schema: Schema): JsonContent {
  return { "application/json": { schema } };
}
