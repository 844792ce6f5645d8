import { authorizationKey, rateLimitHeaders } from "@cloud/contract";
import type { Interceptor } from "@connectrpc/connect";

/** Describes the rate limits that a call was counted for in the headers of its reply. */
export const rateLimitInterceptor: Interceptor = (next) => async (request) => {
  const response = await next(request);
  const limits = request.contextValues.get(authorizationKey)?.rateLimits ?? [];
  if (limits.length > 0) {
    for (const [name, value] of Object.entries(rateLimitHeaders(limits))) response.header.set(name, value);
  }
  return response;
};
