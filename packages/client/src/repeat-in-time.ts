import { Code, ConnectError } from "@connectrpc/connect";
import { fateOf } from "./fate-of.ts";
import type { RetryBudget } from "./retry-budget.ts";
import { pauseBefore, requestedPause } from "./retry-pause.ts";

export interface RepeatRules {
  /** Milliseconds for all tries and the pauses between them. */
  readonly timeoutMs: number;
  readonly maxTries: number;
  readonly budget: RetryBudget;
  readonly signal: AbortSignal | undefined;
  /** Whether the call may be sent again after it may have been processed. */
  readonly mayBeRepeated: boolean;
}

/**
 * Repeats an exchange until it succeeds, or fails in a way that another try does not change. Throws the last failure if
 * the next try would begin after the deadline. `exchange` receives the milliseconds that are left.
 */
export async function repeatInTime<T>(rules: RepeatRules, exchange: (remainingMs: number) => Promise<T>): Promise<T> {
  const { timeoutMs, maxTries, budget, signal, mayBeRepeated } = rules;
  const deadline = performance.now() + timeoutMs;
  for (let tries = 1; ; tries++) {
    try {
      const reply = await exchange(Math.max(1, Math.ceil(deadline - performance.now())));
      budget.succeeded();
      return reply;
    } catch (error) {
      const fate = fateOf(error);
      if (fate === "final") throw error;
      budget.failed();
      const isRepeatable = fate === "not begun" || mayBeRepeated;
      if (!isRepeatable || tries >= maxTries || !budget.allowsRetry() || signal?.aborted) throw error;
      const pauseMs = pauseBefore(tries, requestedPause(error));
      if (performance.now() + pauseMs >= deadline) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** Resolves after the pause. @throws CANCELED as soon as the caller leaves */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(ConnectError.from(signal?.reason, Code.Canceled));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal?.addEventListener("abort", leave, { once: true });
  });
}
