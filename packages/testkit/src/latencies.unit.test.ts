import { expect, test } from "@jest/globals";
import { latenciesOf } from "./latencies.ts";

test("the nearest rank, whatever the order", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(latenciesOf(hundred)).toEqual({ count: 100, p50: 50, p99: 99, max: 100 });
  expect(latenciesOf([2.346])).toEqual({ count: 1, p50: 2.35, p99: 2.35, max: 2.35 });
});
