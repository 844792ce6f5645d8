import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { describeError, type Logger } from "@cloud/telemetry";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { fail, reasonOf } from "../fail.ts";
import { isOpenService } from "./open-service.ts";

/**
 * Nothing internal leaves: an error that is not of the catalogue becomes one that is, and is logged with its causes
 * under the request's id.
 */
export function errorInterceptor(translate: (error: unknown) => ConnectError | undefined, log: Logger): Interceptor {
  return (next) => async (request) => {
    if (isOpenService(request.service)) {
      return await next(request);
    }
    try {
      return await next(request);
    } catch (error) {
      const answer = catalogued(error) ?? translate(error) ?? fail(reasonOf(error), {}, error);
      if (isFault(answer)) {
        const requestId = request.header.get("x-request-id") ?? "";
        log.error({ method: request.method.name, requestId, error: describeError(error) }, "call failed");
        if (reasonOf(answer) === Reason.INTERNAL && error instanceof Error) {
          log.error({ requestId, stack: error.stack }, "stack of the failed call");
        }
      }
      throw answer;
    }
  };
}

function catalogued(error: unknown): ConnectError | undefined {
  return error instanceof ConnectError && error.findDetails(ErrorInfoSchema).length > 0 ? error : undefined;
}

function isFault(error: ConnectError): boolean {
  return [Code.Internal, Code.Unavailable, Code.DeadlineExceeded, Code.Unknown].includes(error.code);
}
