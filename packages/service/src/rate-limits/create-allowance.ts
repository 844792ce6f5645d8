import { type RateLimit, type RateLimitState, rateLimited } from "@cloud/contract";
import type { Counter } from "@cloud/telemetry";
import type { Usage } from "./usage.ts";
import { secondsLeft, WINDOW_SECONDS, windowOf } from "./window-rules.ts";

export interface AllowanceOptions {
  readonly policy: RateLimit["policy"];
  /** Requests of one key in a window. */
  readonly perWindow: number;
  readonly usage: Usage;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  readonly refused: Counter<"policy">;
  /** Called after each request that was counted. */
  readonly counted: () => void;
}

/** The requests that a key may make in a window. One that is refused is not counted, so that a flood costs no writes. */
export interface Allowance {
  /** @throws RATE_LIMITED when none is left. */
  assertLeft(key: string): void;
  /** Counts a request, and returns what is left. @throws RATE_LIMITED when none is left. */
  take(key: string): RateLimitState;
}

export function createAllowance(options: AllowanceOptions): Allowance {
  const { policy, perWindow, usage, now, refused, counted } = options;
  const refusedHere = refused.labels(policy);
  refusedHere.inc(0);
  const nameOf = (key: string) => `${policy}:${key}`;
  const limitAt = (time: number): RateLimit => ({
    policy,
    quota: perWindow,
    windowSeconds: WINDOW_SECONDS,
    retryAfterSeconds: secondsLeft(time),
  });
  /** Returns how many the key has used. */
  const assertLeft = (key: string, time: number): number => {
    const used = usage.of(nameOf(key), windowOf(time));
    if (used < perWindow) return used;
    refusedHere.inc();
    throw rateLimited(limitAt(time));
  };
  return {
    assertLeft: (key) => void assertLeft(key, now()),
    take: (key) => {
      const time = now();
      const used = assertLeft(key, time);
      usage.add(nameOf(key), windowOf(time));
      counted();
      return { ...limitAt(time), remaining: perWindow - used - 1 };
    },
  };
}
