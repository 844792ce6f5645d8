import { fail, reasonOf } from "@cloud/contract";
import { ErrorInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import type { Logger } from "@cloud/telemetry";
import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { isOpenService } from "./open-service.ts";
import { peerRequestIdOf } from "./request-info.ts";
import { spellAsCaller } from "./spell-as-caller.ts";
import { withMessages } from "./with-messages.ts";

/**
 * Keeps internals private: an error outside the catalogue is replaced by one from it, and logged with its causes under
 * the request's id, and that of a peer where it has another.
 */
export function errorInterceptor(translate: (error: unknown) => ConnectError | undefined, log: Logger): Interceptor {
  return (next) => async (request) => {
    if (isOpenService(request.service)) {
      return await next(request);
    }
    const replace = (error: unknown) => {
      const answer = catalogued(error) ?? translate(error) ?? fail(reasonOf(error), {}, error);
      // Whoever watches leaves in the middle of the stream, which is no failure.
      if (isFault(answer) && !(request.stream && request.signal.aborted)) {
        const peerRequestId = peerRequestIdOf(error);
        log.error({ err: error, method: request.method.name, peerRequestId }, "call failed");
      }
      return spellAsCaller(answer, request);
    };
    try {
      const response = await next(request);
      return response.stream ? withMessages(response, (messages) => replacing(messages, replace)) : response;
    } catch (error) {
      throw replace(error);
    }
  };
}

async function* replacing<T>(messages: AsyncIterable<T>, replace: (error: unknown) => Error): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw replace(error);
  }
}

function catalogued(error: unknown): ConnectError | undefined {
  return error instanceof ConnectError && error.findDetails(ErrorInfoSchema).length > 0 ? error : undefined;
}

function isFault(error: ConnectError): boolean {
  return [Code.Internal, Code.Unavailable, Code.DeadlineExceeded, Code.Unknown].includes(error.code);
}
