import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { startProgress } from "./progress.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("writes the time and the latest step every five seconds, until it is stopped", () => {
  const lines: string[] = [];
  const progress = startProgress((line) => lines.push(line));
  jest.advanceTimersByTime(4_999);
  expect(lines).toEqual([]);
  jest.advanceTimersByTime(1);
  for (const rows of [500, 1_000]) progress.step(`outbox: ${rows} of 1200 rows deleted`);
  jest.advanceTimersByTime(5_000);
  expect(lines).toEqual(["5 s", "10 s: outbox: 1000 of 1200 rows deleted"]);
  progress.stop();
  jest.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(2);
});
