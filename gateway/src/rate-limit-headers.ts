import type { RateLimit } from "@cloud/contract";

/**
 * Returns the headers of a response to a request beyond a rate limit. `RateLimit-Policy` and `RateLimit` have the form of
 * draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4: q requests in w seconds, r of them left for t seconds. By
 * section 6, Retry-After is not before t.
 */
export function rateLimitHeaders({ policy, quota, windowSeconds, retryAfterSeconds }: RateLimit) {
  return {
    "Retry-After": String(retryAfterSeconds),
    "RateLimit-Policy": `"${policy}";q=${quota};w=${windowSeconds}`,
    RateLimit: `"${policy}";r=0;t=${retryAfterSeconds}`,
  };
}
