import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Kept at the request itself: a WeakMap costs a collection of garbage more for each request that it holds. */
const ID = Symbol("request id");

interface Identified {
  readonly headers: IncomingHttpHeaders;
  [ID]?: string;
}

/**
 * Returns the id of a request: the client's `x-request-id` if it is printable and at most 128 characters long,
 * otherwise a new UUID.
 */
export function requestIdOf(request: Identified): string {
  const known = request[ID];
  if (known !== undefined) return known;
  const sent = request.headers["x-request-id"];
  const id = typeof sent === "string" && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();
  request[ID] = id;
  return id;
}
