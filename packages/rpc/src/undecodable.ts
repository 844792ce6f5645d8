import type { DescMessage } from "@bufbuild/protobuf";
import { codeOf, fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { ConnectError, type Interceptor } from "@connectrpc/connect";

/** No field has this name: it contains a space. */
const PARAMETER = "request message";

/** Creates the error for a request message that is not one of the expected type. */
export function undecodable(expected: DescMessage, cause: unknown): ConnectError {
  return fail(Reason.INVALID_PARAMETER, { parameter: PARAMETER, accepts: "a valid " + expected.typeName }, cause);
}

/**
 * Turns a peer's error about the form of a message into one of this program, which has encoded the message: INTERNAL if
 * the peer cannot decode it, UNAVAILABLE if it is too large. The caller's own request was in order. A reply
 * over the limit of this program is ANSWER_TOO_LARGE.
 */
export const reportOwnFault: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    const reason = ownFault(error);
    throw reason === undefined ? error : fail(reason, {}, error);
  }
};

function ownFault(error: unknown): Reason | undefined {
  const details = error instanceof ConnectError ? error.findDetails(ErrorInfoSchema) : [];
  if (details.some(({ metadata }) => metadata["parameter"] === PARAMETER)) {
    return Reason.INTERNAL;
  }
  if (details.some(({ reason }) => reason === codeOf(Reason.BODY_TOO_LARGE)) || exceeds(error, "writeMaxBytes")) {
    return Reason.UNAVAILABLE;
  }
  return exceeds(error, "readMaxBytes") ? Reason.ANSWER_TOO_LARGE : undefined;
}

/** The library has no code of its own for its limits, and a peer returns RESOURCE_EXHAUSTED too. */
function exceeds(error: unknown, limit: "readMaxBytes" | "writeMaxBytes"): boolean {
  return error instanceof ConnectError && error.rawMessage.includes("larger than configured " + limit);
}
