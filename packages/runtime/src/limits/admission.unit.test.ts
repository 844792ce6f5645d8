import { expect, test } from "@jest/globals";
import { createAdaptiveLimit } from "./admission.ts";

/** Reports `steps` times 20 pieces of work of `ms` milliseconds each, within 200 ms. */
function play(limit: ReturnType<typeof createAdaptiveLimit>, steps: number, ms: number, full: boolean, from = 0) {
  for (let index = 0; index < steps * 20; index++) limit.observe(ms, full, from + index * 10);
  return limit.current;
}

test("it rises while it is reached and work is fast, to 1,024", () => {
  const limit = createAdaptiveLimit();
  expect(limit.current).toBe(256);
  expect(play(limit, 1, 20, true)).toBe(282);
  expect(play(limit, 100, 20, true, 1_000)).toBe(1_024);
});

test("it stays where it is while it is not reached", () => {
  expect(play(createAdaptiveLimit(), 100, 20, false)).toBe(256);
});

test("it falls while work is slow, to 128, and rises again", () => {
  const limit = createAdaptiveLimit();
  expect(play(limit, 1, 300, true)).toBe(230);
  expect(play(limit, 100, 300, true, 1_000)).toBe(128);
  expect(play(limit, 1, 20, true, 30_000)).toBe(141);
});

test("fewer than 20 pieces of work, or less than 100 ms, decide nothing", () => {
  const limit = createAdaptiveLimit();
  for (let index = 0; index < 19; index++) limit.observe(5_000, true, index * 1_000);
  expect(limit.current).toBe(256);
  const other = createAdaptiveLimit();
  for (let index = 0; index < 1_000; index++) other.observe(5_000, true, index * 0.09);
  expect(other.current).toBe(256);
});
