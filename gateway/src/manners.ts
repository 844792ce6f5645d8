import { type DescField, getOption } from "@bufbuild/protobuf";
import { FieldKind, field_kind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import type { BindingOptions, CorsOptions, JsonOptions, TranscoderOptions } from "@cloud/transcoder";

/**
 * How this API reads requests: as the clients of its family send them, with parameters and fields that it does not have,
 * or that are empty, names in any case, and `pageSize=99999999999999999999` for the most. Any other number is exact or refused.
 */
export const BINDING: BindingOptions = {
  unknownParameters: "ignore",
  unknownFields: "ignore",
  pathConflicts: "ignore",
  unboundBody: "ignore",
  emptyParameters: "ignore",
  parameterNames: "any-case",
  nearestIntegers: isOfPaging,
  structIntegers: "exact",
  // The limit of metadata, which the services check, too.
  structDepth: 32,
  // One for each byte of a request's head, which has its own limit.
  queryLimits: { count: 16_384 },
};

/** The services cut a page size to their limit, and refuse a page beyond theirs with a text that names it. */
function isOfPaging(field: DescField): boolean {
  const kind = getOption(field, field_kind);
  return kind === FieldKind.PAGE || kind === FieldKind.PAGE_SIZE;
}

/** How this API writes replies: every field of a record, and all times with milliseconds. */
export const JSON_FORM: JsonOptions = { defaults: "write", timestamps: "milliseconds", absentTimestamps: "null" };

/** How this API speaks HTTP: plain JSON in, and nothing of HTTP that its contract does not have. */
export const HTTP_FORM: Pick<TranscoderOptions, "jsonTypes" | "requestEncodings" | "callerDeadlines" | "passBack"> = {
  jsonTypes: "plain",
  requestEncodings: [],
  callerDeadlines: "ignore",
  passBack: ["ETag", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy"],
};

/** Returns what pages of these origins may send and read. Tokens are in a header, so no page needs cookies. */
export function corsOf(origins: CorsOptions["origins"]): CorsOptions {
  return {
    origins,
    requestHeaders: [
      "Authorization",
      "Content-Type",
      "Idempotency-Key",
      "If-Match",
      "If-None-Match",
      "Last-Event-ID",
      "service-current-orgid",
      "X-Request-Id",
      "traceparent",
      "tracestate",
    ],
    responseHeaders: [
      "Allow",
      "ETag",
      "Idempotent-Replayed",
      "Location",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
      "WWW-Authenticate",
      "X-Request-Id",
    ],
  };
}
