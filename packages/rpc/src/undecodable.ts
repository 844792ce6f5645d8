import type { DescMessage } from "@bufbuild/protobuf";
import { codeOf, fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { ConnectError } from "@connectrpc/connect";

/** No field has this name: it contains a space. */
const PARAMETER = "request message";

/** Creates the error for a request message that is not one of the expected type. */
export function undecodable(expected: DescMessage, cause: unknown): ConnectError {
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
