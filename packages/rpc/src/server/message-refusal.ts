import type { DescMessage } from "@bufbuild/protobuf";
import { isFieldError, protoCamelCase } from "@bufbuild/protobuf/reflect";
import { codeOf, fail, metadataOf, reasonOf, ruleOf } from "@cloud/access/errors";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { causesOf } from "@cloud/runtime";
import { findInexactField } from "@cloud/transcoder/json";
import { Code, ConnectError, createContextKey, type UnaryRequest } from "@connectrpc/connect";

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

/** A frame flagged as compressed, in a call that declares no compression: gRPC's compression.md requires INTERNAL. */
const FLAG_WITHOUT_ENCODING = /^received compressed envelope/;

/**
 * Returns the catalogue's error for a reply that exceeds the limit of a message; undefined if the call ended otherwise.
 */
export function replyRefusal(error: unknown): ConnectError | undefined {
  // The interceptors give every other error a reason.
  const isBare = error instanceof ConnectError && error.findDetails(ErrorInfoSchema).length === 0;
  return isBare && error.code === Code.ResourceExhausted ? fail(Reason.ANSWER_TOO_LARGE, {}, error) : undefined;
}

/**
 * Turns a peer's error about the form of a message into an error of this program, which has encoded the message:
 * INTERNAL if the peer cannot decode it, UNAVAILABLE if it is too large. The caller's own request was in order. Returns
 * undefined for other errors.
 */
export function faultOfThisProgram(error: unknown): ConnectError | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  for (const { reason, metadata } of error.findDetails(ErrorInfoSchema)) {
    if (metadata["parameter"] === PARAMETER) return fail(Reason.INTERNAL, {}, error);
    if (reason === codeOf(Reason.BODY_TOO_LARGE)) return fail(Reason.UNAVAILABLE, {}, error);
  }
  return undefined;
}

/** The parameter that stands for the whole message. No field has this name: it contains a space. */
const PARAMETER = "request message";

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

/** Returns whether a strict TextDecoder threw the error. */
function isInvalidUtf8(cause: unknown): boolean {
  return (
    typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ERR_ENCODING_INVALID_ENCODED_DATA"
  );
}

/** Creates the error for a request message that is not one of the expected type. */
function undecodable(expected: DescMessage, cause: unknown): ConnectError {
  return fail(Reason.INVALID_PARAMETER, { parameter: PARAMETER, accepts: "a valid " + expected.typeName }, cause);
}

/**
 * Decodes the JSON of a message, in place of the library's decoder, which replaces invalid UTF-8 by U+FFFD: a text
 * would be stored that no caller sent. Throws InexactNumber for a number that the library's parser would round
 * silently.
 */
export const exactJson = {
  decode(bytes: Uint8Array): string {
    const text = utf8.decode(bytes);
    const field = findInexactField(text);
    if (field !== undefined) throw new InexactNumber(field.slice(0, MAX_NAME));
    return text;
  },
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Characters of a field's name in an error: the name is the caller's own text. */
const MAX_NAME = 100;

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

/** The JSON that a caller sent, or its beginning; undefined for other formats. */
export const sentJsonKey = createContextKey<Uint8Array | undefined>(undefined, { description: "JSON of a caller" });

/**
 * Spells the field that an error names as its caller does: as in proto (`page_size`), or for a caller who sends JSON as
 * in ProtoJSON (`pageSize`), unless that caller has sent the proto name only.
 */
export function spellAsCaller(
  error: ConnectError,
  request: Pick<UnaryRequest, "header" | "contextValues">,
): ConnectError {
  const reason = reasonOf(error);
  const isParameter = reason === Reason.INVALID_PARAMETER;
  const proto = isParameter ? (metadataOf(error)["parameter"] ?? "") : FIELD_OF_TEXT.get(reason);
  if (proto === undefined || !SPELLED_TWICE.test(proto)) return error;
  const json = proto.split(".").map(protoCamelCase).join(".");
  const isJson = sendsJson(request.header) && !hasOnlySent(request.contextValues.get(sentJsonKey), proto, json);
  const field = isJson ? json : proto;
  const spelled = isParameter
    ? fail(reason, { ...metadataOf(error), parameter: field }, error)
    : failWith(reason, ruleOf(reason).message.replace(json, field), error);
  error.metadata.forEach((value, name) => void spelled.metadata.append(name, value));
  return spelled;
}

/** Returns whether the content type is JSON, of any protocol. */
export const sendsJson = (header: Headers): boolean =>
  /^application\/(?:(?:connect|grpc|grpc-web)\+)?json\b/i.test(header.get("content-type") ?? "");

/** A name of proto that has another one in JSON. */
const SPELLED_TWICE = /^[a-z][a-z0-9.]*_[a-z0-9_.]*$/;

/** The fields that texts of the catalogue name, in proto's spelling; the texts have REST's. */
const FIELD_OF_TEXT: ReadonlyMap<Reason, string> = new Map([
  [Reason.ORGANIZATION_ID_REQUIRED, "organization_id"],
  [Reason.ORGANIZATION_ID_INVALID, "organization_id"],
  [Reason.ORG_ID_REQUIRED, "org_id"],
]);

/** Creates an error like `fail`, with a text that the catalogue has in another spelling. */
function failWith(reason: Reason, text: string, cause: ConnectError): ConnectError {
  const { domain = "", metadata = {} } = cause.findDetails(ErrorInfoSchema)[0] ?? {};
  const value = { reason: codeOf(reason), domain, metadata };
  return new ConnectError(text, cause.code, undefined, [{ desc: ErrorInfoSchema, value }], cause);
}

function hasOnlySent(sent: Uint8Array | undefined, proto: string, json: string): boolean {
  if (sent === undefined) return false;
  const text = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength);
  const has = (path: string) => text.includes(`"${path.split(".").at(-1)}"`);
  return has(proto) && !has(json);
}
