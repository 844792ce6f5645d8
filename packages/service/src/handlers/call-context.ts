import type { Caller } from "@cloud/contract";
import type { Database } from "@cloud/postgres";
import { currentCorrelation } from "@cloud/telemetry";
import type { HandlerContext } from "@connectrpc/connect";
import { type IdempotentCall, readIdempotentCall } from "../idempotency/idempotent-call.ts";

/** What the context of each call contains besides what is the same for all. */
export interface CallContext extends CallHeaders {
  /** Records what became of the call, also once its caller has left. */
  readonly recording: Pick<Database, "transaction">;
}

/** What the headers of a call say about it. */
interface CallHeaders {
  /** Of the request that the call belongs to, which its caller was given; empty outside of one. */
  readonly requestId: string;
  /** The header If-Match as sent; undefined if absent. */
  readonly ifMatch: string | undefined;
  /** Undefined for a call without an idempotency key, and for an RPC that creates no record. */
  readonly idempotency: IdempotentCall | undefined;
}

/** @throws INVALID_PARAMETER for a malformed idempotency key */
export function readCallHeaders(call: HandlerContext, caller: Caller, request: unknown): CallHeaders {
  const { requestHeader } = call;
  return {
    requestId: currentCorrelation()?.requestId ?? "",
    ifMatch: requestHeader.get("if-match") ?? undefined,
    idempotency: readIdempotentCall(call, caller, request),
  };
}
