import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { codeOf, reasonOf, ruleOf } from "@cloud/rpc";
import { type Answer, type TranscoderCall, TranscodingError, type TranscodingErrorKind } from "@cloud/transcoder";
import { ConnectError } from "@connectrpc/connect";

/** What a caller is told about a failure: a reason of the catalogue, and its text. */
export interface Failure {
  readonly reason: Reason;
  readonly text: string;
}

/** Finds the reason and the text of whatever went wrong. Only what the catalogue or a service's detail says leaves. */
export function failureOf(error: unknown, call: TranscoderCall): Failure {
  if (error instanceof TranscodingError) return formFailure(error, call);
  const reason = reasonOf(error);
  const explained = error instanceof ConnectError && error.findDetails(ErrorInfoSchema).some(isOf(reason));
  return { reason, text: explained && reason !== Reason.INTERNAL ? error.rawMessage : ruleOf(reason).message };
}

/** The answer that tells a failure, as `{"error", "code", "requestId"}`. */
export function errorAnswer({ reason, text }: Failure, requestId: string, allow: readonly string[] = []): Answer {
  const { httpStatus } = ruleOf(reason);
  const body = JSON.stringify({ error: text, code: codeOf(reason), requestId });
  return { status: httpStatus, headers: { ...HEADERS, ...headersFor(httpStatus, allow) }, body };
}

const HEADERS = {
  "Content-Type": "application/json",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
};

function headersFor(status: number, allow: readonly string[]): Record<string, string> {
  switch (status) {
    case 401:
      return { "WWW-Authenticate": "Bearer" };
    case 405:
      return { Allow: allow.join(", ") };
    case 503:
    case 504:
      return { "Retry-After": "1" };
    default:
      return {};
  }
}

function formFailure(error: TranscodingError, { route }: TranscoderCall): Failure {
  // A create request names its organization in a way of its own; see the catalogue.
  if (error.detail.parameter === "organizationId" && route?.method.name.startsWith("Create"))
    return { reason: Reason.ORGANIZATION_ID_INVALID, text: ruleOf(Reason.ORGANIZATION_ID_INVALID).message };
  const reason = REASONS[error.kind];
  const tellsMore = error.kind === "invalid-json" || error.kind === "invalid-parameter";
  return { reason, text: tellsMore ? error.message : ruleOf(reason).message };
}

function isOf(reason: Reason) {
  return (info: { readonly reason: string }) => info.reason === codeOf(reason);
}

const REASONS: Readonly<Record<TranscodingErrorKind, Reason>> = {
  "invalid-json": Reason.INVALID_JSON,
  "invalid-parameter": Reason.INVALID_PARAMETER,
  "body-too-large": Reason.BODY_TOO_LARGE,
  "unsupported-media-type": Reason.UNSUPPORTED_MEDIA_TYPE,
  "method-not-allowed": Reason.METHOD_NOT_ALLOWED,
  "route-not-found": Reason.ROUTE_NOT_FOUND,
  "invalid-path": Reason.INVALID_PATH,
};
