import type { DescService } from "@bufbuild/protobuf";
import { authorizationKey, CALLER_ID_HEADER, CALLER_MARK, codeOf, reasonOf, ruleOf } from "@cloud/contract";
import { RequestInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import type { Telemetry } from "@cloud/telemetry";
import { ConnectError, type ContextValues, type Interceptor } from "@connectrpc/connect";
import { createCallDurations, OK } from "../call-durations.ts";
import { isOpenService } from "./health.ts";
import { receivedKey } from "./received-request.ts";

/**
 * Counts and times every call by method and code, from its arrival on: authentication is included. Keeps how it ended for
 * its line in the log, adds the request's id to an error, and returns to the gateway who the caller is, for its own line.
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
      if (received === undefined || isOpenService(service)) throw thrown;
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
  const caller = values.get(authorizationKey)?.caller;
  return caller === undefined ? "" : caller.userId || caller.serviceName;
}

/**
 * Returns the error with the id of the request as google.rpc.RequestInfo. A copy, because calls that share a look-up share
 * its error; without the RequestInfo of a peer, which has an id of its own for such a look-up.
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
