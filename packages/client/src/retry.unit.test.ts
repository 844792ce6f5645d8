import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { createRetryBudget, pauseBefore, repeatInTime, requestedPause } from "./retry.ts";

test("a budget permits retries up to 50 failures, and again after ten times as many successes as further ones", () => {
  const budget = createRetryBudget();
  for (let failures = 1; failures < 50; failures++) budget.failed();
  expect(budget.allowsRetry()).toBe(true);
  budget.failed();
  expect(budget.allowsRetry()).toBe(false);
  budget.failed();
  for (let successes = 0; successes < 9; successes++) budget.succeeded();
  expect(budget.allowsRetry()).toBe(false);
  for (let successes = 0; successes < 3; successes++) budget.succeeded();
  expect(budget.allowsRetry()).toBe(true);
});

test("the pause is a random part of a bound that doubles up to 3 s", () => {
  const longest = [1, 2, 3, 4, 5, 6, 7].map((tries) => pauseBefore(tries, 0, () => 1));
  expect(longest).toEqual([100, 200, 400, 800, 1_600, 3_000, 3_000]);
  expect(pauseBefore(3, 0, () => 0)).toBe(0);
  expect(pauseBefore(3, 1_000, () => 0.5)).toBe(1_200);
});

test.each([
  ["2", 2_000],
  ["", 0],
  ["soon", 0],
  ["-1", 0],
  ["Wed, 21 Oct 2026 07:28:00 GMT", 0],
])("Retry-After: %s", (value, expected) => {
  expect(requestedPause(new ConnectError("", Code.Unavailable, { "Retry-After": value }))).toBe(expected);
});

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
