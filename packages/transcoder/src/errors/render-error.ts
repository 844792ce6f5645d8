import type { JsonObject, Registry } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { HttpResponse } from "../http/messages.ts";
import { JSON_TYPE } from "../http/negotiation.ts";
import { AnswerTooLarge } from "../json-out/render-json.ts";
import type { ReplyHeaders } from "../rules/route.ts";
import { badRequest, detailsOf, retryAfter } from "./error-details.ts";
import { TranscodingError, type TranscodingErrorKind } from "./transcoding-error.ts";

/**
 * Renders any error as the JSON of a google.rpc.Status. The code, message and details of an RPC's error are kept. What
 * a transport or a program throws may name hosts and files, so its message is not sent. `passOn` chooses among the
 * headers and trailers of an RPC's error.
 */
export function renderError(
  error: unknown,
  registry?: Registry,
  passOn: (received: ReplyHeaders) => Readonly<Record<string, string>> = () => ({}),
): HttpResponse {
  const failure = failureOf(error, registry);
  const { status } = failure;
  const received = error instanceof ConnectError ? passOn(Object.fromEntries(error.metadata)) : {};
  const headers = { ...received, ...failure.headers };
  const { code, message, details } = failure;
  return {
    status,
    headers: { "Content-Type": JSON_TYPE, ...headers },
    body: JSON.stringify({ code, message, details }),
  };
}

/** The parts of an error that a client receives. */
interface Failure {
  readonly status: number;
  readonly code: Code;
  readonly message: string;
  readonly details: readonly JsonObject[];
  readonly headers: Readonly<Record<string, string>>;
}

function failureOf(error: unknown, registry: Registry | undefined): Failure {
  if (error instanceof TranscodingError) return formFailure(error);
  if (error instanceof ConnectError) return callFailure(error, registry);
  const message = error instanceof AnswerTooLarge ? "the reply is too large" : "internal error";
  return { status: 500, code: Code.Internal, message, details: [], headers: {} };
}

function formFailure(error: TranscodingError): Failure {
  const details = badRequest(error);
  return {
    ...FORM[error.kind],
    message: error.message,
    details: details === undefined ? [] : [details],
    headers: errorHeaders(error),
  };
}

function callFailure(error: ConnectError, registry: Registry | undefined): Failure {
  const { name, httpStatus: status } = RPC_CODES[error.code] ?? RPC_CODES[Code.Unknown];
  const headers: Record<string, string> = {};
  const seconds = retryAfter(error);
  if (seconds !== undefined) headers["Retry-After"] = String(seconds);
  if (status === 401) headers["WWW-Authenticate"] = "Bearer";
  // Only an error that was raised here has a cause: one of a connection, with its address.
  const message = error.cause === undefined ? error.rawMessage : name.toLowerCase().replaceAll("_", " ");
  return { status, code: error.code, message, details: detailsOf(error, registry), headers };
}

const FORM: Readonly<Record<TranscodingErrorKind, { readonly status: number; readonly code: Code }>> = {
  "invalid-json": { status: 400, code: Code.InvalidArgument },
  "invalid-parameter": { status: 400, code: Code.InvalidArgument },
  "repeated-parameter": { status: 400, code: Code.InvalidArgument },
  "unknown-parameter": { status: 400, code: Code.InvalidArgument },
  "unexpected-body": { status: 400, code: Code.InvalidArgument },
  "invalid-path": { status: 400, code: Code.InvalidArgument },
  "query-too-long": { status: 414, code: Code.InvalidArgument },
  "body-too-large": { status: 413, code: Code.InvalidArgument },
  "unsupported-media-type": { status: 415, code: Code.InvalidArgument },
  "unsupported-encoding": { status: 415, code: Code.InvalidArgument },
  "invalid-encoding": { status: 400, code: Code.InvalidArgument },
  "invalid-header": { status: 400, code: Code.InvalidArgument },
  "method-not-allowed": { status: 405, code: Code.Unimplemented },
  "route-not-found": { status: 404, code: Code.NotFound },
};

/** Returns the headers by which a response names what would have been accepted. */
function errorHeaders({ kind, detail }: TranscodingError): Readonly<Record<string, string>> {
  const { allow = [], types = [], encodings = [], httpMethod } = detail;
  switch (kind) {
    case "method-not-allowed":
      return { Allow: allow.join(", ") };
    case "unsupported-media-type":
      return acceptHeaders(types.join(", "), httpMethod);
    case "unsupported-encoding":
      return { "Accept-Encoding": [...encodings, "identity"].join(", ") };
    default:
      return {};
  }
}

/** Accept by RFC 9110, 12.5.1; Accept-Post by LDP, 7.1; Accept-Patch by RFC 5789, 3.1. */
function acceptHeaders(types: string, httpMethod: string | undefined): Readonly<Record<string, string>> {
  if (httpMethod === "POST") return { Accept: types, "Accept-Post": types };
  if (httpMethod === "PATCH") return { Accept: types, "Accept-Patch": types };
  return { Accept: types };
}

interface RpcCode {
  /** The name of the code in google.rpc.Code. */
  readonly name: string;
  readonly httpStatus: number;
}

/** The HTTP status of each code, as google/rpc/code.proto has them. */
const RPC_CODES: Readonly<Record<Code, RpcCode>> = {
  // The client closed the request; the status is that of nginx.
  [Code.Canceled]: { name: "CANCELLED", httpStatus: 499 },
  [Code.Unknown]: { name: "UNKNOWN", httpStatus: 500 },
  [Code.InvalidArgument]: { name: "INVALID_ARGUMENT", httpStatus: 400 },
  [Code.DeadlineExceeded]: { name: "DEADLINE_EXCEEDED", httpStatus: 504 },
  [Code.NotFound]: { name: "NOT_FOUND", httpStatus: 404 },
  [Code.AlreadyExists]: { name: "ALREADY_EXISTS", httpStatus: 409 },
  [Code.PermissionDenied]: { name: "PERMISSION_DENIED", httpStatus: 403 },
  [Code.ResourceExhausted]: { name: "RESOURCE_EXHAUSTED", httpStatus: 429 },
  [Code.FailedPrecondition]: { name: "FAILED_PRECONDITION", httpStatus: 400 },
  [Code.Aborted]: { name: "ABORTED", httpStatus: 409 },
  [Code.OutOfRange]: { name: "OUT_OF_RANGE", httpStatus: 400 },
  [Code.Unimplemented]: { name: "UNIMPLEMENTED", httpStatus: 501 },
  [Code.Internal]: { name: "INTERNAL", httpStatus: 500 },
  [Code.Unavailable]: { name: "UNAVAILABLE", httpStatus: 503 },
  [Code.DataLoss]: { name: "DATA_LOSS", httpStatus: 500 },
  [Code.Unauthenticated]: { name: "UNAUTHENTICATED", httpStatus: 401 },
};
