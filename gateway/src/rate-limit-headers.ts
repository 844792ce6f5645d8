import { type RateLimit, rateLimitHeaders } from "@cloud/contract";
import type { ReplyHeaders } from "@cloud/transcoder";

/** Returns the headers of a response to a request beyond a rate limit. By section 6 of the draft, Retry-After is not before t. */
export function refusalHeaders(limit: RateLimit) {
  return { "Retry-After": String(limit.retryAfterSeconds), ...rateLimitHeaders([{ ...limit, remaining: 0 }]) };
}

/** Adds to the headers of a success what the service has set about rate limits: nothing where it has none. */
export function addReceivedRateLimits(headers: Record<string, string>, received: ReplyHeaders): void {
  const { ratelimit, "ratelimit-policy": policy } = received;
  if (ratelimit === undefined || policy === undefined) return;
  headers["RateLimit-Policy"] = String(policy);
  headers["RateLimit"] = String(ratelimit);
}
