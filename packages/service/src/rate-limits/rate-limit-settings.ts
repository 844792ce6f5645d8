import * as z from "zod";

/** How many requests a minute a service serves, summed over its replicas; 0 is no limit. */
export interface RateLimitConfig {
  readonly perToken: number;
  readonly perOrganization: number;
  /** Milliseconds until a request is counted without Postgres; 500 if absent. A statement takes less than 1 ms. */
  readonly patienceMs?: number;
}

const perMinute = () =>
  z.coerce
    .number({ error: "must be 0 (no limit) to 1000000" })
    .int("must be 0 (no limit) to 1000000")
    .min(0, "must be 0 (no limit) to 1000000")
    .max(1_000_000, "must be 0 (no limit) to 1000000")
    .default(0);

/** The environment variables for rate limits. */
export const rateLimitSettings = () => ({
  RATE_LIMIT_PER_TOKEN: perMinute().describe(
    "requests a minute with one token, of all replicas together; 0 is no limit",
  ),
  RATE_LIMIT_PER_ORGANIZATION: perMinute().describe(
    "requests a minute of one organization, of all replicas together; 0 is no limit",
  ),
});

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof rateLimitSettings>>>>;

export function rateLimitConfig(settings: Settings): RateLimitConfig {
  return { perToken: settings.RATE_LIMIT_PER_TOKEN, perOrganization: settings.RATE_LIMIT_PER_ORGANIZATION };
}
