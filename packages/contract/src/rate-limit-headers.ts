import type { RateLimitState } from "./rate-limited.ts";

/** The headers that describe rate limits. */
export interface RateLimitHeaders {
  readonly "RateLimit-Policy": string;
  readonly RateLimit: string;
}

/**
 * Returns the headers of a response to a request that has these limits, in the form of
 * draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4: q requests in w seconds, r of them left for t seconds.
 */
export function rateLimitHeaders(limits: readonly RateLimitState[]): RateLimitHeaders {
  return {
    "RateLimit-Policy": limits.map(({ policy, quota, windowSeconds: w }) => `"${policy}";q=${quota};w=${w}`).join(", "),
    RateLimit: limits.map(({ policy, remaining: r, retryAfterSeconds: t }) => `"${policy}";r=${r};t=${t}`).join(", "),
  };
}
