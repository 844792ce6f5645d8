import { authorizationKey, fail, rateLimitHeaders, reasonOf } from "@cloud/contract";
import type { Admission } from "@cloud/program";
import { ErrorInfoSchema, type RequestInfo, RequestInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import type { Logger } from "@cloud/telemetry";
import { Code, ConnectError, type Interceptor, type StreamResponse } from "@connectrpc/connect";
import { isOpenService } from "./health.ts";
import { spellAsCaller } from "./spell-as-caller.ts";

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

/** Returns the id that a peer has given to the call that failed; undefined for an error that is not a peer's. */
function peerRequestIdOf(error: unknown): string | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const [info]: RequestInfo[] = error.findDetails(RequestInfoSchema);
  return info?.requestId;
}

/**
 * Refuses calls beyond the limit of calls in flight, and does not begin one whose caller has left or whose deadline has
 * passed while it was read.
 */
export function admissionInterceptor(admission: Admission): Interceptor {
  return (next) => async (request) => {
    if (isOpenService(request.service)) {
      return await next(request);
    }
    request.signal.throwIfAborted();
    return await admission.run(() => next(request));
  };
}

/** Describes the rate limits that a call was counted for in the headers of its reply. */
export const rateLimitInterceptor: Interceptor = (next) => async (request) => {
  const response = await next(request);
  const limits = request.contextValues.get(authorizationKey)?.rateLimits ?? [];
  if (limits.length > 0) {
    for (const [name, value] of Object.entries(rateLimitHeaders(limits))) response.header.set(name, value);
  }
  return response;
};

/** Returns the response of a stream with its messages read by `read`. */
export function withMessages(
  response: StreamResponse,
  read: (messages: StreamResponse["message"]) => AsyncIterable<unknown>,
): StreamResponse {
  return { ...response, message: read(response.message) as StreamResponse["message"] };
}
