import { type CompressionOptions, compressResponse } from "../http/compress-response.ts";
import { applyConditions } from "../http/conditions.ts";
import type { Cors } from "../http/cors.ts";
import type { HttpRequest } from "../http/http-request.ts";
import type { HttpResponse } from "../http/http-response.ts";

export interface Finishing {
  readonly compression: CompressionOptions | undefined;
  readonly cors: Cors | undefined;
}

/** Whether there is anything to apply: most requests of most programs need none of it, and no promise more. */
export function needsFinishing({ compression, cors }: Finishing, { headers }: HttpRequest): boolean {
  return compression !== undefined || cors !== undefined || headers["if-none-match"] !== undefined;
}

/** Applies to any response, errors included, what concerns HTTP alone: conditions, compression, and the headers of CORS. */
export function finishResponse(
  { compression, cors }: Finishing,
  request: HttpRequest,
  response: HttpResponse,
): HttpResponse | Promise<HttpResponse> {
  const conditional = request.headers["if-none-match"] === undefined ? response : applyConditions(request, response);
  const allowed = cors === undefined ? conditional : cors.allow(request, conditional);
  return compression === undefined ? allowed : compressResponse(request, allowed, compression);
}
