import type { Transport } from "@connectrpc/connect";
import { type CallSettings, completeSettings } from "./call-settings.ts";
import { createIdempotencyKey } from "./idempotency-key.ts";
import { repeatInTime } from "./repeat-in-time.ts";
import { createRetryBudget } from "./retry-budget.ts";
import { createsRecord, mayRepeat } from "./what-may-repeat.ts";

const KEY = "Idempotency-Key";

/**
 * Adds to the calls of a transport the token, a deadline, an idempotency key where one has an effect, and retries of what
 * may be sent again. Streams get the token only. @throws RangeError for a setting out of its range
 */
export function createResilientTransport(transport: Transport, settings: CallSettings = {}): Transport {
  const { token, timeoutMs: usualMs, maxTries } = completeSettings(settings);
  const budget = createRetryBudget();
  const addToken = async (headers: Headers, isOwn: boolean) => {
    if (token === undefined || isOwn) return;
    headers.set("Authorization", `Bearer ${typeof token === "string" ? token : await token()}`);
  };
  return {
    async unary(method, signal, timeoutMs = usualMs, header, input, contextValues) {
      const headers = new Headers(header);
      const hasToken = headers.has("Authorization");
      if (createsRecord(method) && !headers.has(KEY)) headers.set(KEY, createIdempotencyKey());
      const mayBeRepeated = mayRepeat(method, input, headers);
      return await repeatInTime({ timeoutMs, maxTries, budget, signal, mayBeRepeated }, async (remainingMs) => {
        await addToken(headers, hasToken);
        return await transport.unary(method, signal, remainingMs, headers, input, contextValues);
      });
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      const headers = new Headers(header);
      await addToken(headers, headers.has("Authorization"));
      return await transport.stream(method, signal, timeoutMs, headers, input, contextValues);
    },
  };
}
