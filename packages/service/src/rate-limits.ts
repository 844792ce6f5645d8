import { hash } from "node:crypto";
import type { CountOrganization } from "@cloud/access";
import { type RateLimit, type RateLimitState, rateLimited } from "@cloud/access/errors";
import { openDatabase, type Pooler, type SqlText, statement } from "@cloud/postgres";
import type { TokenLimit } from "@cloud/rpc";
import { whole } from "@cloud/runtime/settings";
import { Counter, type Telemetry } from "@cloud/runtime/telemetry";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type * as z from "zod";

/** The limits on the requests of users. Requests of services have none. */
export interface RateLimits {
  /** Absent if there is no limit. */
  readonly tokenLimit?: TokenLimit;
  /** Counts a request for the organization that it acts on; absent if there is no limit. @throws RATE_LIMITED */
  readonly countOrganization?: CountOrganization;
  stop(): Promise<void>;
}

/** The requests a minute that a service serves, summed over its replicas; 0 is no limit. */
export interface RateLimitConfig {
  readonly perToken: number;
  readonly perOrganization: number;
  /** Milliseconds until a request is counted without Postgres; 500 if absent. A statement takes less than 1 ms. */
  readonly maxWaitMs?: number;
}

interface RateLimitOptions extends RateLimitConfig {
  /** The service's database, to which it opens a connection of its own. */
  readonly url: string;
  readonly pooler?: Pooler | undefined;
  readonly schema: string;
  readonly telemetry: Telemetry;
}

/** Starts the configured limits. Without any, it opens no connection. */
export function startRateLimits(options: RateLimitOptions): RateLimits {
  const { perToken, perOrganization, telemetry } = options;
  if (perToken === 0 && perOrganization === 0) return { stop: async () => undefined };
  const refused = new Counter({
    name: "rate_limit_refused_total",
    help: "Requests refused because a token's or an organization's rate limit was reached.",
    labelNames: ["policy"],
    registers: [telemetry.metrics],
  });
  const store = openStore(options);
  const create = (policy: RateLimit["policy"], points: number) =>
    createLimit(policy, points, store.client, refused.labels(policy));
  const tokens = perToken === 0 ? undefined : create("token", perToken);
  const organizations = perOrganization === 0 ? undefined : create("organization", perOrganization);
  return {
    ...(tokens && {
      tokenLimit: {
        assertLeft: (bearer) => tokens.assertLeft(digestOf(bearer)),
        take: (bearer) => tokens.take(digestOf(bearer)),
      },
    }),
    ...(organizations && { countOrganization: organizations.take }),
    stop: () => store.close(),
  };
}

/** The length of a window, which begins with the first request of a key. */
const WINDOW_SECONDS = 60;

/** Opens a connection of its own: statements about a busy key wait for each other, and must not hold up requests. */
function openStore({ url, pooler, schema, maxWaitMs = 500, telemetry: { log } }: RateLimitOptions) {
  const limits = { maxConnections: 1, connectTimeoutMs: maxWaitMs, statementTimeoutMs: maxWaitMs };
  const db = openDatabase({ url, pooler, schema, applicationName: `${schema} rate limits`, log, ...limits });
  let failing = false;
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    try {
      // biome-ignore lint/plugin: the library composes its statement of constants, and passes values as parameters.
      const result = await db.transaction((tx) => tx.query(statement`${text as SqlText}`, values));
      if (failing) log.info("rate limits are shared with the other replicas again");
      failing = false;
      return result;
    } catch (err) {
      if (!failing) log.warn({ err }, "rate limits are not shared with the other replicas");
      failing = true;
      throw err;
    }
  };
  return { client: { query }, close: () => db.close() };
}

/** A limiter of the library, which has a method that its types lack. */
interface Limiter {
  consume(key: string): Promise<RateLimiterRes>;
  getKey(key: string): string;
  /** Returns the milliseconds for which a key that has used up its window is refused without a statement; else 0. */
  getInMemoryBlockMsBeforeExpire(key: string): number;
}

function createLimit(
  policy: RateLimit["policy"],
  points: number,
  storeClient: object,
  refused: { inc(by?: number): void },
) {
  const limits = { points, duration: WINDOW_SECONDS };
  const limiter = new RateLimiterPostgres({
    ...limits,
    storeClient,
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true, // by a migration
    keyPrefix: policy,
    inMemoryBlockOnConsumed: points,
    insuranceLimiter: new RateLimiterMemory(limits),
  }) as unknown as Limiter;
  refused.inc(0);
  const limitFor = (ms: number): RateLimit => ({
    policy,
    quota: points,
    windowSeconds: WINDOW_SECONDS,
    retryAfterSeconds: Math.max(1, Math.ceil(ms / 1_000)),
  });
  const refuse = (ms: number): never => {
    refused.inc();
    throw rateLimited(limitFor(ms));
  };
  return {
    assertLeft: (key: string): void => {
      const ms = limiter.getInMemoryBlockMsBeforeExpire(limiter.getKey(key));
      if (ms > 0) refuse(ms);
    },
    take: async (key: string): Promise<RateLimitState> => {
      try {
        const { remainingPoints, msBeforeNext } = await limiter.consume(key);
        return { ...limitFor(msBeforeNext), remaining: remainingPoints };
      } catch (error) {
        return error instanceof RateLimiterRes ? refuse(error.msBeforeNext) : Promise.reject(error);
      }
    },
  };
}

/** Returns 128 bits of SHA-256: a token itself is kept nowhere. */
function digestOf(token: string): string {
  return hash("sha256", token).slice(0, 32);
}

/** The environment variables for rate limits. */
export const rateLimitSettings = () => ({
  RATE_LIMIT_PER_TOKEN: perMinute().describe(
    "requests a minute with one token, of all replicas together; 0 is no limit",
  ),
  RATE_LIMIT_PER_ORGANIZATION: perMinute().describe(
    "requests a minute of one organization, of all replicas together; 0 is no limit",
  ),
});

const perMinute = () => whole(0, 1_000_000, "must be 0 (no limit) to 1000000").default(0);

type Settings = Readonly<z.output<z.ZodObject<ReturnType<typeof rateLimitSettings>>>>;

export function rateLimitConfig(settings: Settings): RateLimitConfig {
  return { perToken: settings.RATE_LIMIT_PER_TOKEN, perOrganization: settings.RATE_LIMIT_PER_ORGANIZATION };
}
