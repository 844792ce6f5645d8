import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const ids = new WeakMap<IncomingMessage, string>();

/**
 * Returns the id of a request: the client's `x-request-id` if it is printable and at most 128 characters long,
 * otherwise a new UUID.
 */
export function requestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const sent = request.headers["x-request-id"];
  const id = typeof sent === "string" && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();
  ids.set(request, id);
  return id;
}
