import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { ErrorInfoSchema, RetryInfoSchema } from "@cloud/proto/google/rpc/error_details_pb";
import { ConnectError } from "@connectrpc/connect";
import { codeOf, fail } from "./fail.ts";

/** A rate limit, at the time of a request. */
export interface RateLimit {
  /** The holder of the limit. */
  readonly policy: "token" | "organization";
  /** Requests in a window. */
  readonly quota: number;
  readonly windowSeconds: number;
  /** Seconds until the next window begins. */
  readonly retryAfterSeconds: number;
}

/** A rate limit that a request was counted for. */
export interface RateLimitState extends RateLimit {
  /** Requests left in the window; 0 or more. */
  readonly remaining: number;
}

/** Creates RATE_LIMITED, with the limit as metadata of ErrorInfo, and RetryInfo for clients that follow it. */
export function rateLimited({ policy, quota, windowSeconds, retryAfterSeconds }: RateLimit): ConnectError {
  const error = fail(Reason.RATE_LIMITED, {
    policy,
    quota: String(quota),
    window_seconds: String(windowSeconds),
    retry_after_seconds: String(retryAfterSeconds),
  });
  error.details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(retryAfterSeconds) } } });
  return error;
}

/** Returns the limit that an error of `rateLimited` describes; undefined for other errors. */
export function findRateLimit(error: unknown): RateLimit | undefined {
  const infos = error instanceof ConnectError ? error.findDetails(ErrorInfoSchema) : [];
  const metadata = infos.find(({ reason }) => reason === codeOf(Reason.RATE_LIMITED))?.metadata;
  if (metadata === undefined) return undefined;
  const number = (name: string) => Number.parseInt(metadata[name] ?? "", 10);
  const limit: RateLimit = {
    policy: metadata["policy"] === "organization" ? "organization" : "token",
    quota: number("quota"),
    windowSeconds: number("window_seconds"),
    retryAfterSeconds: number("retry_after_seconds"),
  };
  return [limit.quota, limit.windowSeconds, limit.retryAfterSeconds].every(Number.isSafeInteger) ? limit : undefined;
}

/** The headers that describe rate limits. */
interface RateLimitHeaders {
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
