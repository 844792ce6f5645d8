import { type RequestInfo, RequestInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { ConnectError } from "@connectrpc/connect";

/**
 * Returns the error with the id of the request as google.rpc.RequestInfo. A copy, because calls that share a look-up share
 * its error; without the RequestInfo of a peer, which has an id of its own for such a look-up.
 */
export function withRequestInfo(error: ConnectError, requestId: string): ConnectError {
  const { rawMessage, code, cause, isWireError, metadata, details } = error;
  const copy = new ConnectError(rawMessage, code, isWireError ? undefined : metadata, undefined, cause);
  const others = details.filter(
    (detail) => !("type" in detail ? isOwnName(detail.type) : isOwnName(detail.desc.typeName)),
  );
  copy.details.push(...others, { desc: RequestInfoSchema, value: { requestId } });
  return copy;
}

const isOwnName = (name: string) => name === RequestInfoSchema.typeName;

/** Returns the id that a peer has given to the call that failed; undefined for an error that is not a peer's. */
export function peerRequestIdOf(error: unknown): string | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const [info]: RequestInfo[] = error.findDetails(RequestInfoSchema);
  return info?.requestId;
}
