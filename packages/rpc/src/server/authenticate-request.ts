import {
  type AccessRule,
  type Authorization,
  accessCheckKey,
  accessRuleOf,
  authorizationKey,
  authorizationOf,
  fail,
} from "@cloud/contract";
import { type Admission, findRequestFault } from "@cloud/program";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
  type Interceptor,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { isOpenService } from "./health.ts";
import type { IdentifyCaller } from "./identify-caller.ts";
import { withMessages } from "./interceptors.ts";
import { receivedKey } from "./received-request.ts";
import { serveUnary, type UniversalRequest, withEmptyMessage } from "./refuse-undecodable.ts";
import { shortenDeadline } from "./shorten-deadline.ts";

/** Why a call is refused before its message is read; `authenticationInterceptor` ends it. */
const refusalKey = createContextKey<{ readonly error: unknown } | undefined>(undefined, {
  description: "refusal",
});

export interface Door {
  readonly identify: IdentifyCaller;
  readonly assertRoom: Admission["assertRoom"];
}

/**
 * Admits the caller of an RPC by the headers alone, before its message is read. A message of 0.76 MB with 90,000 keys
 * cost 250 to 350 ms to decode, which any caller without a token could have spent. Returns false for one that is refused,
 * also beyond the limit of calls in flight: the refusal is kept for `authenticationInterceptor`, which ends the call.
 *
 * @param rule undefined for health and reflection, which need no token
 */
export async function admitCaller(
  { identify, assertRoom }: Door,
  header: Headers,
  values: ContextValues,
  rule: AccessRule | undefined,
): Promise<boolean> {
  try {
    const received = values.get(receivedKey);
    const fault = received && findRequestFault(received.request);
    if (fault !== undefined) throw fail(Reason.INVALID_PARAMETER, { ...fault });
    if (rule === undefined) return true;
    assertRoom();
    values.set(authorizationKey, await identify(header, rule));
    return true;
  } catch (error) {
    values.set(refusalKey, { error });
    return false;
  }
}

/**
 * Admits the caller of a call of the library, which then has a deadline of at most `maxMs`. A refused call runs with an
 * empty message instead, so that it is counted, and refused in the form of its protocol.
 */
export function authenticateRequest(handler: UniversalHandler, door: Door, maxMs: number): UniversalHandler {
  const rule = isOpenService(handler.service) ? undefined : accessRuleOf(handler.method);
  const isStream = handler.method.methodKind !== "unary";
  const handle = async (request: UniversalRequest) => {
    shortenDeadline(request.header, maxMs, isStream);
    const contextValues = request.contextValues ?? createContextValues();
    if (isStream && rule !== undefined) contextValues.set(accessCheckKey, door.identify.later(request.header, rule));
    const isAdmitted = await admitCaller(door, request.header, contextValues, rule);
    // The adapter ends such a call in silence; one that goes on to a reply, which cannot be sent, it prints as failed.
    if (request.signal.aborted) throw new ConnectError("the caller left while it was authenticated", Code.Aborted);
    const admitted = { ...(isAdmitted ? request : withEmptyMessage(request)), contextValues }; // protects: empty-body
    if (!isStream) return await serveUnary(handler, admitted);
    const response = await handler(admitted);
    return { ...response, body: whilePresent(response.body, request.signal) };
  };
  return Object.assign(handle, handler);
}

/**
 * Ends the body of a stream whose caller has left. The adapter would write the end of the stream to the closed response,
 * and print that it failed; an aborted one it ends in silence.
 */
async function* whilePresent(body: AsyncIterable<Uint8Array> | undefined, signal: AbortSignal) {
  for await (const chunk of body ?? []) {
    if (signal.aborted) throw new ConnectError("the caller has left", Code.Aborted);
    yield chunk;
  }
}

/** Ends a call that `admitCaller` refused, and lets no reply leave without the check that its RPC declares. */
export const authenticationInterceptor: Interceptor = (next) => async (request) => {
  const refusal = request.contextValues.get(refusalKey);
  if (refusal !== undefined) {
    throw refusal.error;
  }
  if (isOpenService(request.service)) {
    return await next(request);
  }
  const authorization = authorizationOf({ values: request.contextValues });
  const response = await next(request);
  // The handler of a stream runs when its messages are read.
  if (response.stream) return withMessages(response, (messages) => checked(messages, authorization));
  authorization.assertMayReply();
  return response;
};

async function* checked<T>(messages: AsyncIterable<T>, authorization: Authorization): AsyncGenerator<T> {
  for await (const message of messages) {
    authorization.assertMayReply();
    yield message;
  }
  authorization.assertMayReply();
}
