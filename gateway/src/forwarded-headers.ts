import { CALLER_MARK } from "@cloud/contract";
import type { HttpRequest } from "@cloud/transcoder";

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
