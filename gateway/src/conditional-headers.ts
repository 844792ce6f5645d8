import { createsRecord, parseEntityTags, parseIdempotencyKey } from "@cloud/contract";
import type { TranscoderCall } from "@cloud/transcoder";
import type { CallerCheck } from "./authentication.ts";

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
