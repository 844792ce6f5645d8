import type { Caller } from "@cloud/contract";
import { currentCorrelation } from "@cloud/telemetry";
import type { HandlerContext } from "@connectrpc/connect";
import { type IdempotentCall, readIdempotentCall } from "../idempotency/idempotent-call.ts";

/** What the context of each call contains besides what is the same for all. */
export interface CallContext {
  /** Of the request that the call belongs to, which its caller was given; empty outside of one. */
  readonly requestId: string;
  /** The header If-Match as sent; undefined if absent. */
  readonly ifMatch: string | undefined;
  /** Undefined for a call without an idempotency key, and for an RPC that creates no record. */
  readonly idempotency: IdempotentCall | undefined;
}

/** @throws INVALID_PARAMETER for a malformed idempotency key */
export function readCallContext(call: HandlerContext, caller: Caller, request: unknown): CallContext {
  const { requestHeader } = call;
  return {
    requestId: currentCorrelation()?.requestId ?? "",
    ifMatch: requestHeader.get("if-match") ?? undefined,
    idempotency: readIdempotentCall(call, caller, request),
  };
}
