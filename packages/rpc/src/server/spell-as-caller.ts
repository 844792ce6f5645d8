import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { codeOf, fail, metadataOf, reasonOf, ruleOf } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { ConnectError, createContextKey, type UnaryRequest } from "@connectrpc/connect";

/** The JSON that a caller sent, or its beginning; undefined for other formats. */
export const sentJsonKey = createContextKey<Uint8Array | undefined>(undefined, { description: "JSON of a caller" });

/**
 * Spells the field that an error names as its caller does: as proto does (`page_size`), or to a caller who sends JSON as
 * ProtoJSON does (`pageSize`), unless that caller has sent the other name only.
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

/** The fields that texts of the catalogue name, as REST spells them. */
const FIELD_OF_TEXT: ReadonlyMap<Reason, string> = new Map([
  [Reason.ORGANIZATION_ID_REQUIRED, "organization_id"],
  [Reason.ORGANIZATION_ID_INVALID, "organization_id"],
  [Reason.ORG_ID_REQUIRED, "org_id"],
]);

/** As `fail`, with a text that the catalogue has in another spelling. */
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
