import type { Transport } from "@connectrpc/connect";
import { createRetryBudget, createsRecord, mayRepeat, repeatInTime } from "./retry.ts";

/** The settings that a client applies to its calls. */
export interface CallSettings {
  /**
   * A security token, or a function that returns the current one, called before each try. A header `Authorization` of a
   * call replaces it.
   */
  readonly token?: string | (() => string | Promise<string>);
  /**
   * Milliseconds for a unary call with all its tries, 1 to 30,000; 10,000 if absent. `timeoutMs` of a call replaces it.
   */
  readonly timeoutMs?: number;
  /** Tries of a call, the first included, 1 to 10; 5 if absent. */
  readonly maxTries?: number;
}

const KEY = "Idempotency-Key";

/**
 * Adds to the calls of a transport the token, a deadline, an idempotency key where one has an effect, and retries of
 * what may be sent again. Streams get the token only.
 *
 * @throws RangeError for a setting out of its range
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

/** The longest deadline that the services accept. */
const MAX_TIMEOUT_MS = 30_000;
const MAX_TRIES = 10;

/** Returns the settings with their defaults. @throws RangeError for one out of its range */
function completeSettings({ token, timeoutMs = 10_000, maxTries = 5 }: CallSettings) {
  assertWhole("timeoutMs", timeoutMs, MAX_TIMEOUT_MS);
  assertWhole("maxTries", maxTries, MAX_TRIES);
  return { token, timeoutMs, maxTries };
}

function assertWhole(name: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max)
    throw new RangeError(`${name} must be a whole number from 1 to ${max}, not ${value}`);
}

/**
 * Creates an idempotency key: 128 random bits in hexadecimal. Not `randomUUID`, which browsers have on pages from https
 * only.
 */
function createIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
