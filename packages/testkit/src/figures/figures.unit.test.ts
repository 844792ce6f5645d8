import { expect, test } from "@jest/globals";
import { latenciesOf, measureUntil } from "./figures.ts";

test("the nearest rank, whatever the order", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(latenciesOf(hundred)).toEqual({ count: 100, p50: 50, p99: 99, max: 100 });
  expect(latenciesOf([2.346])).toEqual({ count: 1, p50: 2.35, p99: 2.35, max: 2.35 });
});

test.each([
  [[1], 1, 1],
  [[9, 1], 2, 1],
  [[9, 9, 9, 1], 3, 9],
])("for the figures %j it makes %j attempts", async (figures, attempts, ms) => {
  const left = [...figures];
  const measured = await measureUntil(
    (one) => one.ms < 5,
    async () => ({ ms: left.shift() ?? 0 }),
  );
  expect(measured).toEqual({ ms, attempts });
});
