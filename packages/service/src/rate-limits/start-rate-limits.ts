import { createHash } from "node:crypto";
import type { CountOrganization } from "@cloud/contract";
import { openDatabase, type Pooler } from "@cloud/postgres";
import type { TokenLimit } from "@cloud/rpc";
import { Counter, type Telemetry } from "@cloud/telemetry";
import { type Allowance, createAllowance } from "./create-allowance.ts";
import type { RateLimitConfig } from "./rate-limit-settings.ts";
import { startExchange } from "./start-exchange.ts";
import { createUsage } from "./usage.ts";

/** The limits on the requests of users. Those of services have none. */
export interface RateLimits {
  /** Absent if there is no limit. */
  readonly tokenLimit?: TokenLimit;
  /** Counts a request for the organization that it acts on; absent if there is no limit. @throws RATE_LIMITED */
  readonly countOrganization?: CountOrganization;
  stop(): Promise<void>;
}

export interface RateLimitOptions extends RateLimitConfig {
  /** The service's database, to which it opens a connection of its own. */
  readonly url: string;
  readonly pooler?: Pooler | undefined;
  readonly schema: string;
  readonly telemetry: Telemetry;
}

/** Keys in memory: about 20 MB. A key belongs to a valid token or to a member's organization. */
const MOST_KEYS = 100_000;

/**
 * Replicas together let pass at most the limit and what arrives at the others in this time: about a 240th of a minute's
 * requests each, and never more than the limit each, should all of them arrive at once.
 */
const EXCHANGE_MS = 250;

/** Starts the limits that are configured. Without any, it opens no connection and has no timer. */
export function startRateLimits(options: RateLimitOptions): RateLimits {
  const {
    perToken,
    perOrganization,
    url,
    pooler,
    schema,
    telemetry,
    exchangeMs = EXCHANGE_MS,
    now = Date.now,
  } = options;
  if (perToken === 0 && perOrganization === 0) {
    return { stop: async () => undefined };
  }
  const { log, metrics } = telemetry;
  // A connection of its own: under load, the exchange waits for no request and delays none.
  const db = openDatabase({ url, pooler, schema, applicationName: `${schema} rate limits`, log, maxConnections: 1 });
  const usage = createUsage(MOST_KEYS);
  const exchange = startExchange({ db, usage, log, everyMs: exchangeMs });
  const refused = new Counter({
    name: "rate_limit_refused_total",
    help: "Requests refused because a token's or an organization's rate limit was reached.",
    labelNames: ["policy"],
    registers: [metrics],
  });
  const shared = { usage, now, refused, counted: () => exchange.wake() };
  const tokens = createAllowance({ ...shared, policy: "token", perWindow: perToken });
  const organizations = createAllowance({ ...shared, policy: "organization", perWindow: perOrganization });
  return {
    ...(perToken === 0 ? {} : { tokenLimit: byDigest(tokens) }),
    ...(perOrganization === 0 ? {} : { countOrganization: organizations.take }),
    stop: async () => {
      await exchange.stop();
      await db.close();
    },
  };
}

function byDigest(tokens: Allowance): TokenLimit {
  return {
    assertLeft: (bearer) => tokens.assertLeft(digestOf(bearer)),
    take: (bearer) => tokens.take(digestOf(bearer)),
  };
}

/** 128 bits of SHA-256: a token itself is kept nowhere. */
function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 32);
}
