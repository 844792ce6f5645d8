import type { DescMethod } from "@bufbuild/protobuf";
import { type Caller, createsRecord, parseIdempotencyKey } from "@cloud/contract";
import type { HandlerContext } from "@connectrpc/connect";

/** A call with an idempotency key. */
export interface IdempotentCall {
  readonly key: string;
  readonly method: DescMethod;
  /** The user, or the service. */
  readonly caller: string;
  /** The message, of the type of the method's input. */
  readonly request: unknown;
  /** Called when the reply is one of an earlier call. */
  readonly onReplay: () => void;
}

/** Returns undefined for a call without a key, and for an RPC that creates no record. @throws INVALID_PARAMETER */
export function readIdempotentCall(
  { method, requestHeader, responseHeader }: HandlerContext,
  { userId, serviceName }: Caller,
  request: unknown,
): IdempotentCall | undefined {
  const sent = requestHeader.get("idempotency-key");
  if (sent === null || !createsRecord(method)) return undefined;
  return {
    key: parseIdempotencyKey(sent),
    method,
    caller: userId === "" ? `service:${serviceName}` : userId,
    request,
    onReplay: () => responseHeader.set("idempotent-replayed", "true"),
  };
}
