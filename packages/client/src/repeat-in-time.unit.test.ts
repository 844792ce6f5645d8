import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { repeatInTime } from "./repeat-in-time.ts";
import { createRetryBudget } from "./retry-budget.ts";

beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(Math, "random").mockReturnValue(0.5); // of 100 ms
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/** Starts an exchange that fails once, with what the service asks to wait. */
function start(retryAfter: string, signal?: AbortSignal) {
  let tries = 0;
  const exchange = async () => {
    if (++tries === 1) throw new ConnectError("busy", Code.Unavailable, { "Retry-After": retryAfter });
    return "ok";
  };
  const rules = { timeoutMs: 10_000, maxTries: 5, budget: createRetryBudget(), signal, mayBeRepeated: true };
  const outcome = repeatInTime(rules, exchange).catch((error: unknown) => ConnectError.from(error).code);
  return { outcome, tries: () => tries };
}

test("what the service asks to wait is waited", async () => {
  const { outcome, tries } = start("1");
  await jest.advanceTimersByTimeAsync(1_049);
  expect(tries()).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect([await outcome, tries()]).toEqual(["ok", 2]);
});

test("a wait beyond the deadline is a failure at once", async () => {
  expect(await start("10").outcome).toBe(Code.Unavailable); // no timer runs meanwhile
  expect(jest.getTimerCount()).toBe(0);
});

test("a caller who leaves ends a wait at once", async () => {
  const caller = new AbortController();
  const { outcome, tries } = start("5", caller.signal);
  await jest.advanceTimersByTimeAsync(1_000);
  caller.abort();
  expect([await outcome, tries(), jest.getTimerCount()]).toEqual([Code.Canceled, 1, 0]);
});
