import type { DescService } from "@bufbuild/protobuf";
import { type Caller, callerKey, callerOf } from "@cloud/access";
import { codeOf, fail, rateLimitHeaders, reasonOf, ruleOf } from "@cloud/access/errors";
import { CALLER_ID_HEADER, CALLER_MARK } from "@cloud/access/principal";
import { ErrorInfoSchema, type RequestInfo, RequestInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import type { Admission } from "@cloud/runtime/limits";
import type { Logger, Telemetry } from "@cloud/runtime/telemetry";
import { Code, ConnectError, type ContextValues, createContextKey, type Interceptor } from "@connectrpc/connect";
import { createCallDurations, isOpenService, OK, receivedKey } from "../follow-calls.ts";
import { replacing, withMessages } from "../stream-messages.ts";
import { refusalKey } from "./identify-caller.ts";
import { messageRefusal, spellAsCaller } from "./message-refusal.ts";

// The interceptors of every call of a service of ours, in the order in which they run. `refusedCallersInterceptor` is
// the second.

/**
 * Counts and times every call by method and code, from its arrival on: authentication is included. Keeps the outcome
 * for the access log, adds the request's id to an error, and returns the caller's id to the gateway, for its own access
 * log.
 */
export function telemetryInterceptor(
  { metrics, access }: Pick<Telemetry, "metrics" | "access">,
  services: readonly DescService[],
): Interceptor {
  const durations = createCallDurations({
    name: "rpc_server_call_duration_seconds",
    help: "How long calls took, from their arrival to their reply, or to the beginning of a stream.",
    registry: metrics,
    methods: services.flatMap((service) => service.methods),
  });
  return (next) => async (request) => {
    const { service, method, header, contextValues } = request;
    const received = contextValues.get(receivedKey);
    const since = received?.at ?? performance.now();
    const route = `${service.typeName}/${method.name}`;
    const isNamed = access !== undefined && header.has(CALLER_MARK.header);
    try {
      const response = await next(request);
      durations.end(method, OK, since);
      if (received === undefined || access === undefined) return response;
      const caller = callerIn(contextValues);
      received.outcome = { route, caller, status: 200, code: "OK" };
      if (isNamed && access.isSampled(received.correlation.requestId)) response.header.set(CALLER_ID_HEADER, caller);
      return response;
    } catch (thrown) {
      const error = ConnectError.from(thrown);
      durations.end(method, error.code, since);
      if (received === undefined) throw thrown;
      const caller = callerIn(contextValues);
      const reason = reasonOf(error);
      received.outcome = { route, caller, status: ruleOf(reason).httpStatus, code: codeOf(reason) };
      const named = withRequestInfo(error, received.correlation.requestId);
      if (isNamed && caller !== "") named.metadata.set(CALLER_ID_HEADER, caller);
      throw named;
    }
  };
}

/** Returns the id of the user or the name of the service; empty for a caller who is not authenticated. */
function callerIn(values: ContextValues): string {
  const caller = values.get(callerKey);
  return caller === undefined ? "" : caller.userId || caller.serviceName;
}

/**
 * Returns a copy of the error with the id of the request as google.rpc.RequestInfo. It is a copy because calls that
 * share a look-up share its error. The RequestInfo of a peer is left out: its id belongs to that look-up.
 */
function withRequestInfo(error: ConnectError, requestId: string): ConnectError {
  const { rawMessage, code, cause, isWireError, metadata, details } = error;
  const copy = new ConnectError(rawMessage, code, isWireError ? undefined : metadata, undefined, cause);
  const others = details.filter(
    (detail) => !("type" in detail ? isOwnName(detail.type) : isOwnName(detail.desc.typeName)),
  );
  copy.details.push(...others, { desc: RequestInfoSchema, value: { requestId } });
  return copy;
}

const isOwnName = (name: string) => name === RequestInfoSchema.typeName;

/**
 * Keeps internals private: an error outside the catalogue is replaced by one from it, and logged with its causes under
 * the id of the request, and the id that a peer has given to its call.
 */
export function errorInterceptor(translate: (error: unknown) => ConnectError | undefined, log: Logger): Interceptor {
  return (next) => async (request) => {
    const replace = (error: unknown) => {
      const answer = catalogued(error) ?? translate(error) ?? fail(reasonOf(error), {}, error);
      // A watcher leaves in the middle of the stream, which is no failure.
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
 * Refuses calls beyond the limit of calls in flight, and does not begin a call whose caller has left, or whose deadline
 * has passed, while it was read.
 */
export function admissionInterceptor(admission: Admission): Interceptor {
  return (next) => async (request) => {
    request.signal.throwIfAborted();
    return await admission.run(() => next(request));
  };
}

/**
 * Ends a call that was refused before its handler, and sends no reply without the check that its RPC declares. Describes
 * the rate limits that the call was counted for in the headers of its reply. Must run after all other interceptors.
 */
export const authenticationInterceptor: Interceptor = (next) => async (request) => {
  const { contextValues } = request;
  const refusal = contextValues.get(refusalKey);
  if (refusal !== undefined) {
    throw refusal.error;
  }
  const attempt = contextValues.get(attemptKey);
  if (attempt !== undefined) attempt.accepted = true;
  const refuse = (error: unknown) => messageRefusal(error, request.method.input) ?? error;
  const call = request.stream ? withMessages(request, (messages) => replacing(messages, refuse)) : request;
  if (isOpenService(request.service)) {
    return await next(call);
  }
  const caller = callerOf({ values: contextValues });
  const response = await next(call);
  const { rateLimits } = caller;
  if (rateLimits.length > 0) {
    for (const [name, value] of Object.entries(rateLimitHeaders(rateLimits))) response.header.set(name, value);
  }
  // The handler of a stream runs when its messages are read.
  if (response.stream) return withMessages(response, (messages) => checked(messages, caller));
  caller.assertMayReply();
  return response;
};

/** The options of health and reflection, which need no token and have their own errors. */
export const OPEN_SERVICE = { interceptors: [authenticationInterceptor] };

async function* checked<T>(messages: AsyncIterable<T>, caller: Caller): AsyncGenerator<T> {
  for await (const message of messages) {
    caller.assertMayReply();
    yield message;
  }
  caller.assertMayReply();
}

/** The first pass of a unary call through its handler. */
export interface CallAttempt {
  /** The error that ended the pass; undefined if it succeeded, or the handler refused the request by its headers. */
  error?: unknown;
  /** Whether the message was decoded and the caller authenticated. */
  accepted?: boolean;
}

export const attemptKey = createContextKey<CallAttempt | undefined>(undefined, { description: "pass of a request" });
