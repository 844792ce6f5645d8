/** As in gateway/src/request-id.ts, which creates an id for a request without one. */
const FORM = /^[\x21-\x7e]{1,128}$/;

/** Returns the id of the request that a call belongs to; empty for an absent id, and for one that is not printable or too long. */
export function requestIdIn(header: Headers): string {
  const sent = header.get("x-request-id") ?? "";
  return FORM.test(sent) ? sent : "";
}
