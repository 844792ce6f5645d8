import { findHeader, findHeaderName } from "./find-header.ts";
import type { HttpRequest } from "./http-request.ts";
import type { HttpResponse } from "./http-response.ts";

/**
 * Returns 304 without a body for a GET whose If-None-Match has the ETag of the response (RFC 9110, 13.1.2), and the
 * response itself otherwise. If-Match is for the service: only it can compare and write at once.
 */
export function applyConditions({ method, headers }: HttpRequest, response: HttpResponse): HttpResponse {
  const tag = findHeader(response.headers, "etag");
  const sent = headers["if-none-match"];
  if (tag === undefined || sent === undefined || response.status !== 200) return response;
  // Its messages are being received already, and no client has kept them.
  if (response.stream !== undefined) return response;
  if ((method !== "GET" && method !== "HEAD") || !hasTag(sent, tag)) return response;
  const type = findHeaderName(response.headers, "content-type");
  const kept = Object.fromEntries(Object.entries(response.headers).filter(([name]) => name !== type));
  return { status: 304, headers: kept, body: undefined };
}

/** Compares weakly: `W/"a"` and `"a"` are the same. */
function hasTag(list: string, tag: string): boolean {
  if (list.trim() === "*") return true;
  const opaque = tag.replace(/^W\//, "");
  return list.match(/"[\x21\x23-\x7e\x80-\xff]*"/g)?.includes(opaque) ?? false;
}
