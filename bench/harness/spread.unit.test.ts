import { expect, test } from "@jest/globals";
import { spreadOf } from "./spread.ts";

test("median and quartiles lie between the neighbours", () => {
  expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, lower: 1.75, upper: 3.25, rounds: 4 });
});

test("one measurement is its own spread, with three significant digits", () => {
  expect(spreadOf([1234.5])).toEqual({ median: 1235, lower: 1235, upper: 1235, rounds: 1 });
  expect(spreadOf([0.012345]).median).toBe(0.0123);
});
