import type { DescMessage } from "@bufbuild/protobuf";
import { isFieldError, protoCamelCase } from "@bufbuild/protobuf/reflect";
import { codeOf, fail, reasonOf, ruleOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { causesOf } from "@cloud/telemetry";
import { findInexactField } from "@cloud/transcoder/json";
import { Code, ConnectError } from "@connectrpc/connect";

/**
 * Returns the catalogue's error for a request message that the library could not read or decode; undefined if the call
 * ended for another reason.
 */
export function messageRefusal(error: unknown, expected: DescMessage): ConnectError | undefined {
  // An error with a reason comes from an interceptor; one that is no ConnectError from a connection that broke.
  if (!(error instanceof ConnectError) || error.findDetails(ErrorInfoSchema).length > 0) {
    return undefined;
  }
  switch (error.code) {
    case Code.ResourceExhausted:
      return fail(Reason.BODY_TOO_LARGE, {}, error);
    case Code.InvalidArgument: // JSON, or a frame or compressed bytes that end early
    case Code.Internal: // Protobuf
      return FLAG_WITHOUT_ENCODING.test(error.rawMessage) ? undefined : malformed(error, expected);
    default:
      // An unknown compression or not exactly one message, which gRPC defines as UNIMPLEMENTED, or a deadline.
      return undefined;
  }
}

/** Returns the catalogue's error for a reply that exceeds the limit of a message; undefined if the call ended otherwise. */
export function replyRefusal(error: unknown): ConnectError | undefined {
  // The interceptors give every other error a reason.
  const isBare = error instanceof ConnectError && error.findDetails(ErrorInfoSchema).length === 0;
  return isBare && error.code === Code.ResourceExhausted ? fail(Reason.ANSWER_TOO_LARGE, {}, error) : undefined;
}

/** A frame flagged as compressed, in a call that declares no compression: gRPC's compression.md requires INTERNAL. */
const FLAG_WITHOUT_ENCODING = /^received compressed envelope/;

function malformed(error: ConnectError, expected: DescMessage): ConnectError {
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof SyntaxError || isInvalidUtf8(cause))) {
    return fail(Reason.INVALID_JSON, {}, error);
  }
  const inexact = causes.find((cause) => cause instanceof InexactNumber);
  if (inexact !== undefined) {
    const accepts = "of whole numbers that a double can hold";
    return fail(Reason.INVALID_PARAMETER, { parameter: inexact.field, accepts }, error);
  }
  const wrong = causes.find(isFieldError);
  if (wrong !== undefined) {
    const accepts = "a value of its type, given at most once";
    return fail(Reason.INVALID_PARAMETER, { parameter: wrong.field().name, accepts }, error);
  }
  return undecodable(expected, error);
}

/** What a strict TextDecoder throws. */
function isInvalidUtf8(cause: unknown): boolean {
  return (
    typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ERR_ENCODING_INVALID_ENCODED_DATA"
  );
}

/** A number of a message in JSON that would be rounded. */
class InexactNumber extends Error {
  override readonly name = "InexactNumber";
  /** The field that contains it, as sent. */
  readonly field: string;

  constructor(field: string) {
    super(`${field} has a number that a double cannot hold`);
    this.field = field;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes the JSON of a message, in place of the library's decoder, which replaces invalid UTF-8 by U+FFFD: a text would be
 * stored that no caller sent. Throws InexactNumber for what the library's parser would round without notice.
 */
export const exactJson = {
  decode(bytes: Uint8Array): string {
    const text = utf8.decode(bytes);
    const field = findInexactField(text);
    if (field !== undefined) throw new InexactNumber(field.slice(0, MAX_NAME));
    return text;
  },
};

/** The error contains the caller's own text. */
const MAX_NAME = 100;

/** No field has this name: it contains a space. */
const PARAMETER = "request message";

/** Creates the error for a request message that is not one of the expected type. */
function undecodable(expected: DescMessage, cause: unknown): ConnectError {
  return fail(Reason.INVALID_PARAMETER, { parameter: PARAMETER, accepts: "a valid " + expected.typeName }, cause);
}

/**
 * Turns a peer's error about the form of a message into one of this program, which has encoded the message: INTERNAL if
 * the peer cannot decode it, UNAVAILABLE if it is too large. The caller's own request was in order. Undefined for other
 * errors.
 */
export function faultOfThisProgram(error: unknown): ConnectError | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  for (const { reason, metadata } of error.findDetails(ErrorInfoSchema)) {
    if (metadata["parameter"] === PARAMETER) return fail(Reason.INTERNAL, {}, error);
    if (reason === codeOf(Reason.BODY_TOO_LARGE)) return fail(Reason.UNAVAILABLE, {}, error);
  }
  return undefined;
}

/**
 * Spells the field that a text of the catalogue names as proto does; the catalogue spells it as REST does. Every other
 * error of a service names fields so already.
 */
export function spellAsProto(error: ConnectError): ConnectError {
  const reason = reasonOf(error);
  const field = FIELD_OF_TEXT.get(reason);
  if (field === undefined) return error;
  const text = ruleOf(reason).message.replace(protoCamelCase(field), field);
  const value = { ...error.findDetails(ErrorInfoSchema)[0], reason: codeOf(reason) };
  return new ConnectError(text, error.code, error.metadata, [{ desc: ErrorInfoSchema, value }], error);
}

const FIELD_OF_TEXT: ReadonlyMap<Reason, string> = new Map([
  [Reason.ORGANIZATION_ID_REQUIRED, "organization_id"],
  [Reason.ORGANIZATION_ID_INVALID, "organization_id"],
  [Reason.ORG_ID_REQUIRED, "org_id"],
]);
