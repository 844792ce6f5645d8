import { TranscodingError } from "../errors/transcoding-error.ts";
import type { Cors } from "../http/cors.ts";
import type { HttpRequest } from "../http/http-request.ts";
import type { HttpResponse } from "../http/http-response.ts";

/**
 * Returns the response to an OPTIONS request whose path has no rule for it: 204 with the methods of the path, and those
 * of the server for `*`. Undefined for any other request or error.
 */
export function optionsReply(error: unknown, request: HttpRequest, cors: Cors | undefined): HttpResponse | undefined {
  if (request.method !== "OPTIONS" || !(error instanceof TranscodingError)) return undefined;
  if (error.kind === "route-not-found" && request.url === "*") return { status: 204, headers: {}, body: undefined };
  if (error.kind !== "method-not-allowed") return undefined;
  const { allow = [] } = error.detail;
  return { status: 204, headers: { Allow: allow.join(", "), ...cors?.preflight(request, allow) }, body: undefined };
}
