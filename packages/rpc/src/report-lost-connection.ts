import { fail } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/**
 * Turns the library's error for a connection that the peer has closed under a call into UNAVAILABLE. Node resets the
 * streams with CANCEL then, and the library takes that for a call that its caller has given up. A peer closes a TLS
 * connection so when it does not accept this program's certificate.
 */
export const reportLostConnection: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (error) {
    throw !request.signal.aborted && isReset(error) ? fail(Reason.UNAVAILABLE, {}, error) : error;
  }
};

function isReset(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Canceled && error.rawMessage.startsWith("http/2 stream");
}
