import { fail, reasonOf } from "@cloud/contract";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import type { Logger } from "@cloud/telemetry";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { isOpenService } from "./open-service.ts";

/**
 * Keeps internals private: an error outside the catalogue is replaced by one from it, and logged with its causes under
 * the request's id.
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
        log.error({ err: error, method: request.method.name, requestId }, "call failed");
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
