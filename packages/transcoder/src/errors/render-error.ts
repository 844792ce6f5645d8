import type { JsonObject, Registry } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { ReplyHeaders } from "../calls/call-route.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { JSON_TYPE } from "../http/media-type.ts";
import { AnswerTooLarge } from "../json-out/write-json.ts";
import { badRequest } from "./bad-request.ts";
import { detailsOf, retryAfter } from "./error-details.ts";
import { errorHeaders } from "./error-headers.ts";
import { RPC_CODES } from "./rpc-codes.ts";
import { TranscodingError, type TranscodingErrorKind } from "./transcoding-error.ts";

/**
 * Renders any error as the JSON of a google.rpc.Status. The
 * code, message and details of an RPC's error are kept. What a transport or a program throws may name hosts and files, so
 * its message is not sent. `passOn` chooses among the headers and trailers of an RPC's error.
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

/** What a client learns of an error. */
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
