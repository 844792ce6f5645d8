import { codeOf, ruleOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { Route } from "@cloud/transcoder";
import type { Content, Failure, Schema } from "@cloud/transcoder/openapi";
import { statusOf } from "../../src/follow-requests.ts";
import { CHALLENGE_HEADERS, REFUSAL_HEADERS, RETRY_HEADERS } from "./headers.ts";

/** Returns all errors of a route: the errors `reasons` of its RPC, and the gateway's own. */
export function failuresOf(route: Route, reasons: readonly Reason[]): Failure[] {
  const ofAnswer = statusOf(route) === 204 ? [] : [Reason.ANSWER_TOO_LARGE];
  return [...new Set([...reasons, ...formReasons(route), ...ALWAYS, ...ofAnswer])].map(failureOf);
}

/** Returns the content of an error with one of these codes. */
export function errorContent(codes: readonly string[]): Content {
  const code: Schema = { properties: { code: { enum: [...codes] } } };
  return { "application/json": { schema: { allOf: [{ $ref: "#/components/schemas/Error" }, code] } } };
}

/** The schema `Error`, to which the content of errors refers. */
export const ERROR: Schema = {
  type: "object",
  description: "The body of every error response.",
  properties: {
    error: { type: "string", description: "A text for users.", examples: ["workspace not found"] },
    code: {
      type: "string",
      description: "A stable code for programs.",
      pattern: "^[A-Z][A-Z_]*$",
      examples: ["WORKSPACE_NOT_FOUND"],
    },
    requestId: { type: "string", description: "The request id, as in the header `X-Request-Id`." },
  },
  required: ["error", "code", "requestId"],
};

function failureOf(reason: Reason): Failure {
  const { httpStatus: status, message } = ruleOf(reason);
  return { status, code: codeOf(reason), message, headers: HEADERS[status] ?? {} };
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
  // Operations without a body have it too: they ignore a smaller body only.
  Reason.BODY_TOO_LARGE,
  Reason.INTERNAL,
  Reason.OVERLOADED,
  Reason.UNAVAILABLE,
  Reason.DEADLINE_EXCEEDED,
];

const HEADERS: Readonly<Record<number, Failure["headers"]>> = {
  401: CHALLENGE_HEADERS,
  429: REFUSAL_HEADERS,
  503: RETRY_HEADERS,
  504: RETRY_HEADERS,
};
