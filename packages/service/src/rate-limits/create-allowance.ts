import { type RateLimit, rateLimited } from "@cloud/contract";
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
  /** Counts a request. @throws RATE_LIMITED when none is left. */
  take(key: string): void;
}

export function createAllowance(options: AllowanceOptions): Allowance {
  const { policy, perWindow, usage, now, refused, counted } = options;
  const refusedHere = refused.labels(policy);
  const nameOf = (key: string) => `${policy}:${key}`;
  const assertLeft = (key: string) => {
    const time = now();
    if (usage.of(nameOf(key), windowOf(time)) < perWindow) return;
    refusedHere.inc();
    throw rateLimited({
      policy,
      quota: perWindow,
      windowSeconds: WINDOW_SECONDS,
      retryAfterSeconds: secondsLeft(time),
    });
  };
  return {
    assertLeft,
    take: (key) => {
      assertLeft(key);
      usage.add(nameOf(key), windowOf(now()));
      counted();
    },
  };
}
