import { type DescField, type DescMethod, getOption, hasOption, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { createsRecord, taggedRecordOf, takesEtag } from "@cloud/access";
import { codeOf } from "@cloud/access/errors";
import { fieldRuleOf } from "@cloud/access/lists";
import { permissionName } from "@cloud/access/principal";
import { default_value, FieldKind, field_kind, required } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { absent_body, path_entry, permission, ScopeSchema, scope } from "@cloud/proto/cloud/api/v1/options_pb";
import { Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Route } from "@cloud/transcoder";
import type { FieldNotes, OperationNotes } from "@cloud/transcoder/openapi";
import { hasLocation, statusOf } from "../../src/follow-requests.ts";
import { failuresOf } from "./failures.ts";
import {
  ETAG_HEADERS,
  IDEMPOTENCY_KEY,
  IF_MATCH,
  IF_NONE_MATCH,
  LAST_EVENT_ID,
  LOCATION_HEADERS,
  RATE_LIMIT_HEADERS,
  REPLAY_HEADERS,
} from "./headers.ts";

/** Returns the notes that this product adds to the description of a route. */
export function operationNotes(route: Route, comment: string): OperationNotes {
  const { method } = route;
  const { description, reasons } = splitComment(comment);
  const status = statusOf(route);
  const needed = hasOption(method, permission) ? permissionName(getOption(method, permission)) : undefined;
  const { operationId, summary, deprecated } = entryOf(route) ?? {};
  const isTagged = status !== 204 && taggedRecordOf(method) !== undefined;
  const isRead = isTagged && route.httpMethod === "GET";
  return {
    ...(operationId && { operationId }),
    ...(summary && { summary }),
    ...(deprecated && { deprecated }),
    description,
    status,
    ...(refusesAbsentBody(method, reasons) && { bodyRequired: true }),
    requestHeaders: [
      ...(isRead ? [IF_NONE_MATCH] : []),
      ...(takesEtag(method) ? [IF_MATCH] : []),
      ...(createsRecord(method) ? [IDEMPOTENCY_KEY] : []),
      ...(isWatch(method) ? [LAST_EVENT_ID] : []),
    ],
    headers: {
      ...(hasLocation(route) && LOCATION_HEADERS),
      ...(status === 201 && REPLAY_HEADERS),
      ...(isTagged && ETAG_HEADERS),
      ...RATE_LIMIT_HEADERS,
    },
    ...(isRead && { bodiless: { 304: { description: "Not Modified.", headers: ETAG_HEADERS } } }),
    failures: failuresOf(route, reasons),
    extensions: {
      ...(needed !== undefined && { "x-permission": needed }),
      "x-scope": scopeName(method),
      "x-rpc": `${method.parent.typeName}/${method.name}`,
    },
  };
}

/** Returns whether a client can continue the stream with a header, as a watch of events. */
const isWatch = ({ methodKind, input }: DescMethod): boolean =>
  methodKind === "server_streaming" && input.fields.some(({ name }) => name === "after");

/** Returns the entry of the route in the reference; undefined if its RPC declares none. */
function entryOf({ method, template }: Route) {
  return getOption(method, path_entry).find(({ path }) => path === template.text);
}

/** Returns whether a request without a body is refused; an update of nothing is refused, too. */
function refusesAbsentBody(method: DescMethod, reasons: readonly Reason[]): boolean {
  return hasOption(method, absent_body) || reasons.includes(Reason.WORKSPACE_UPDATE_EMPTY);
}

function scopeName(method: DescMethod): string {
  return (ScopeSchema.value[getOption(method, scope)]?.name ?? "").replace(/^SCOPE_/, "");
}

/** Returns the options of a field as keywords of JSON Schema. */
export function fieldNotes(field: DescField): FieldNotes {
  const kind = hasOption(field, field_kind) ? getOption(field, field_kind) : FieldKind.UNSPECIFIED;
  const { maxLength, minItems, minimum, maximum, values, format, example, ...rule } = fieldRuleOf(kind);
  const fallback = getOption(field, default_value) || rule.default;
  return {
    required: getOption(field, required),
    schema: {
      ...(format !== "" && { format }),
      ...(values.length > 0 && { enum: values }),
      ...(maxLength > 0 && { maxLength }),
      ...(minItems > 0 && { minItems }),
      ...(minimum !== undefined && { minimum: Number(minimum) }),
      ...(maximum !== undefined && { maximum: Number(maximum) }),
      ...(fallback !== "" && { default: jsonOf(field, fallback) }),
      ...(example !== "" && { examples: [jsonOf(field, example)] }),
    },
  };
}

function jsonOf({ scalar }: DescField, text: string): JsonValue {
  return scalar === ScalarType.STRING ? text : (JSON.parse(text) as JsonValue);
}

/** Splits the comment of an RPC into its description and the reasons that it lists. @throws Error for an unknown one */
export function splitComment(comment: string): { description: string; reasons: Reason[] } {
  const [description = "", errors = ""] = comment.split(/\s?Errors: /, 2);
  const named = new Set(errors.match(/[A-Z][A-Z_]+[A-Z]/g) ?? []);
  const reasons = ReasonSchema.values
    .map((value) => value.number as Reason)
    .filter((reason) => named.has(codeOf(reason)));
  const unknown = [...named].filter((name) => name.includes("_") && !reasons.some((reason) => codeOf(reason) === name));
  if (unknown.length > 0) throw new Error(`no such reason: ${unknown.join(", ")}`);
  return { description, reasons };
}
