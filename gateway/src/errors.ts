import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { codeOf, findRateLimit, type RateLimit, rateLimitHeaders, reasonOf, ruleOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { type ErrorInfo, ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import {
  AnswerTooLarge,
  type HttpResponse,
  type Route,
  type TranscoderCall,
  TranscodingError,
  type TranscodingErrorKind,
} from "@cloud/transcoder";
import { ConnectError } from "@connectrpc/connect";

/** The part of a failure that the client receives: a reason of the catalogue, and its text. */
export interface Failure {
  readonly reason: Reason;
  readonly text: string;
  /** The limit that was reached, for RATE_LIMITED. */
  readonly rateLimit?: RateLimit;
}

/** Maps any error to a reason and a text. Only texts of the catalogue or of a service's error detail are exposed. */
export function failureOf(error: unknown, call: TranscoderCall): Failure {
  if (error instanceof TranscodingError) return formFailure(error, call);
  if (error instanceof AnswerTooLarge) return plainFailure(Reason.ANSWER_TOO_LARGE);
  if (!(error instanceof ConnectError)) return plainFailure(Reason.INTERNAL);
  const failure = failures.get(error) ?? failureOfCall(error);
  failures.set(error, failure);
  const reason = reasonAt(call.route, failure.reason);
  return reason === failure.reason ? failure : plainFailure(reason);
}

/** The failures by error: the admission throws the same error for every request that it refuses. */
const failures = new WeakMap<ConnectError, Failure>();

/** Creates a failure with the reason's own text, which names nothing of the request. */
export function plainFailure(reason: Reason): Failure {
  return { reason, text: ruleOf(reason).message };
}

/** Creates the error response `{"error", "code", "requestId"}`. */
export function errorResponse(
  { reason, text, rateLimit }: Failure,
  requestId: string,
  allow: readonly string[] = [],
): HttpResponse {
  const { httpStatus } = ruleOf(reason);
  const body = JSON.stringify({ error: text, code: codeOf(reason), requestId });
  const headers: { [name: string]: string; Allow?: string } = {
    "X-Request-Id": requestId,
    "Content-Type": "application/json",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  };
  if (httpStatus === 401) headers["WWW-Authenticate"] = "Bearer";
  if (httpStatus === 405) headers.Allow = allow.join(", ");
  if (httpStatus === 503 || httpStatus === 504) headers["Retry-After"] = "1";
  if (rateLimit !== undefined) Object.assign(headers, refusalHeaders(rateLimit));
  return { status: httpStatus, headers, body };
}

function failureOfCall(error: ConnectError): Failure {
  const reason = reasonOf(error);
  const info = error.findDetails(ErrorInfoSchema).find((detail) => detail.reason === codeOf(reason));
  if (info === undefined || reason === Reason.INTERNAL) return plainFailure(reason);
  const { message } = ruleOf(reason);
  // A text without holes is taken from the catalogue: services spell the fields in it as their caller does, in proto.
  const given = message.includes("{") ? error.rawMessage : message;
  const text = reason === Reason.INVALID_PARAMETER ? spellForRest(given, info) : given;
  const rateLimit = findRateLimit(error);
  return { reason, text, ...(rateLimit === undefined ? {} : { rateLimit }) };
}

/** Returns the text with REST's name of the field (`pageSize`); services have proto's (`page_size`). */
function spellForRest(text: string, { metadata }: ErrorInfo): string {
  const { parameter = "" } = metadata;
  if (!text.startsWith(parameter)) return text;
  return protoCamelCase(parameter) + text.slice(parameter.length);
}

function formFailure(error: TranscodingError, { route }: TranscoderCall): Failure {
  // A create request names its organization in a way of its own; see the catalogue.
  const malformed = error.kind === "invalid-parameter";
  if (malformed && error.detail.parameter === "organizationId" && route?.method.name.startsWith("Create"))
    return plainFailure(Reason.ORGANIZATION_ID_INVALID);
  const reason = REASONS[error.kind];
  const isSpecific = SPECIFIC.has(error.kind);
  return { reason, text: isSpecific ? error.message : ruleOf(reason).message };
}

const REASONS: Readonly<Record<TranscodingErrorKind, Reason>> = {
  "invalid-json": Reason.INVALID_JSON,
  "invalid-parameter": Reason.INVALID_PARAMETER,
  "repeated-parameter": Reason.INVALID_PARAMETER,
  "unknown-parameter": Reason.INVALID_PARAMETER,
  "unexpected-body": Reason.INVALID_PARAMETER,
  "query-too-long": Reason.INVALID_PARAMETER,
  "body-too-large": Reason.BODY_TOO_LARGE,
  "unsupported-media-type": Reason.UNSUPPORTED_MEDIA_TYPE,
  "unsupported-encoding": Reason.UNSUPPORTED_MEDIA_TYPE,
  // The options of this API leave no cause for these two.
  "invalid-encoding": Reason.MALFORMED_REQUEST,
  "invalid-header": Reason.MALFORMED_REQUEST,
  "method-not-allowed": Reason.METHOD_NOT_ALLOWED,
  "route-not-found": Reason.ROUTE_NOT_FOUND,
  "invalid-path": Reason.INVALID_PATH,
};

/** The kinds whose message names the fault and its place in the caller's own terms. */
const SPECIFIC: ReadonlySet<TranscodingErrorKind> = new Set([
  "invalid-json",
  "invalid-parameter",
  "repeated-parameter",
  "unknown-parameter",
  "unexpected-body",
  "query-too-long",
]);

/**
 * Returns the headers of a response to a request beyond a rate limit. By section 6 of the draft, Retry-After is not
 * before t.
 */
function refusalHeaders(limit: RateLimit) {
  return { "Retry-After": String(limit.retryAfterSeconds), ...rateLimitHeaders([{ ...limit, remaining: 0 }]) };
}

/**
 * Returns the reason of a refusal as a route reports it: a malformed id of an organization is malformed in a body, and
 * not found in a path.
 */
function reasonAt(route: Route | undefined, reason: Reason): Reason {
  if (reason !== Reason.ORGANIZATION_ID_INVALID) return reason;
  const isInPath = route?.variables.some(([field]) => field?.name === "organization_id");
  return isInPath === true ? Reason.ORGANIZATION_NOT_FOUND : reason;
}
