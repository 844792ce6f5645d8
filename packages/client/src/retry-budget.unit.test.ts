import { expect, test } from "@jest/globals";
import { createRetryBudget } from "./retry-budget.ts";

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
