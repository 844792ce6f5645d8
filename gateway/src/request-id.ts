import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

const ids = new WeakMap<IncomingMessage, string>();

/** The id of a request: the caller's `x-request-id` where it is printable and at most 128 long, else a new UUID. */
export function requestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known !== undefined) return known;
  const sent = request.headers["x-request-id"];
  const id = typeof sent === "string" && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();
  ids.set(request, id);
  return id;
}
