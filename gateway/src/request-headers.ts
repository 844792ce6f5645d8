import { CALLER_MARK, createsRecord, parseEntityTags, parseIdempotencyKey } from "@cloud/contract";
import type { HttpRequest, TranscoderCall } from "@cloud/transcoder";
import type { CallerCheck } from "./authentication.ts";

const FORWARDED = ["authorization", "service-current-orgid", "if-match", "idempotency-key"];

/**
 * Returns the headers forwarded to a service: the mark of a user's call, the caller's token and context, what the
 * request requires of the record and of earlier requests. The transport adds the id of the request and its trace. No other
 * header of a client reaches a service, so no client can set or clear the mark.
 */
export function forwardedHeaders(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = { [CALLER_MARK.header]: CALLER_MARK.value };
  for (const name of FORWARDED) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

/**
 * Refuses, once the caller is known, a malformed If-None-Match, which only the gateway reads, and what cannot be forwarded:
 * without its If-Match, a change would be made whatever the record's state, and without its Idempotency-Key, a retry would
 * create another record. All other forms are for the service to refuse. Undefined where there is nothing to refuse.
 */
export function refuseHeaders(call: TranscoderCall, check: CallerCheck): Promise<void> | undefined {
  const refusal = refusalOf(call);
  return refusal && check(call).then(() => Promise.reject(refusal));
}

const PRINTABLE = /^[\x20-\x7e]*$/;

function refusalOf({ request: { method, headers }, route }: TranscoderCall): Error | undefined {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch, "idempotency-key": key } = headers;
  try {
    if (typeof key === "string" && !PRINTABLE.test(key) && route !== undefined && createsRecord(route.method)) {
      parseIdempotencyKey(key);
    }
    if (ifMatch !== undefined && !PRINTABLE.test(ifMatch)) parseEntityTags("If-Match", ifMatch);
    if (ifNoneMatch !== undefined && (method === "GET" || method === "HEAD")) {
      parseEntityTags("If-None-Match", ifNoneMatch);
    }
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
