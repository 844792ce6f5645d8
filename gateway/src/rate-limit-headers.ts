import { type RateLimit, rateLimitHeaders } from "@cloud/contract";
import type { ReplyHeaders } from "@cloud/transcoder";

/** Returns the headers of a response to a request beyond a rate limit. By section 6 of the draft, Retry-After is not before t. */
export function refusalHeaders(limit: RateLimit) {
  return { "Retry-After": String(limit.retryAfterSeconds), ...rateLimitHeaders([{ ...limit, remaining: 0 }]) };
}

/** Returns the headers of a success that describe rate limits, which the service has set; undefined where it has none. */
export function receivedRateLimitHeaders(received: ReplyHeaders): Record<string, string> | undefined {
  const { ratelimit, "ratelimit-policy": policy } = received;
  if (ratelimit === undefined || policy === undefined) return undefined;
  return { "RateLimit-Policy": String(policy), RateLimit: String(ratelimit) };
}
