import { hash } from "node:crypto";
import { type DescMessage, type DescMethod, type JsonValue, type MessageShape, toJson } from "@bufbuild/protobuf";
import { type Caller, parseIdempotencyKey } from "@cloud/contract";
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

/** Returns undefined for a call without a key. @throws INVALID_PARAMETER */
export function readIdempotentCall(
  { method, requestHeader, responseHeader }: HandlerContext,
  { userId, serviceName }: Caller,
  request: unknown,
): IdempotentCall | undefined {
  const sent = requestHeader.get("idempotency-key");
  if (sent === null) return undefined;
  return {
    key: parseIdempotencyKey(sent),
    method,
    caller: userId === "" ? `service:${serviceName}` : userId,
    request,
    onReplay: () => responseHeader.set("idempotent-replayed", "true"),
  };
}

/**
 * Returns the SHA-256 of a request by its fields: requests that differ only in how they are written, such as by REST and by
 * RPC, by the order of their fields, or by fields that the API does not have, have equal ones.
 */
export function digestOfRequest<Type extends DescMessage>(type: Type, request: MessageShape<Type>): Buffer {
  return hash("sha256", JSON.stringify(sorted(toJson(type, request))), "buffer");
}

/** Sorts the keys of objects: `metadata` keeps the order in which its keys were sent. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
