import { applyConditions } from "../http/conditions.ts";
import type { Cors } from "../http/cors.ts";
import type { HttpRequest } from "../http/http-request.ts";
import type { HttpResponse } from "../http/http-response.ts";

/** Whether there is anything to apply: most requests of most programs need none of it, and no promise more. */
export function needsFinishing(cors: Cors | undefined, { headers }: HttpRequest): boolean {
  return cors !== undefined || headers["if-none-match"] !== undefined;
}

/** Applies to any response, errors included, what concerns HTTP alone: conditions and the headers of CORS. */
export function finishResponse(cors: Cors | undefined, request: HttpRequest, response: HttpResponse): HttpResponse {
  const conditional = request.headers["if-none-match"] === undefined ? response : applyConditions(request, response);
  return cors === undefined ? conditional : cors.allow(request, conditional);
}
