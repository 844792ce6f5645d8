import { expect, test } from "@jest/globals";
import { byControl, isInTime, judgeTime } from "./judge-time.ts";

// The bounds that are judged here are none of the run's own.
process.env["JUDGEMENTS_RUN"] = "unit";

const bound = { what: "a reply", measuredMs: 150, limitMs: 100 };

test.each([
  ["a slower machine has proportionally longer", 1.5, true],
  ["a quiet one does not", 1, false],
  ["one that is too slow is no judge", 4.1, true],
])("%s", (_, factor, inTime) => {
  expect(isInTime({ ...bound, factor })).toBe(inTime);
});

test("every bound that does not hold is named, with the figures", () => {
  const held = { ...bound, what: "a request", measuredMs: 100, factor: 1 };
  expect(() => judgeTime(held)).not.toThrow();
  expect(() => judgeTime(held, { ...bound, factor: 1 }, { ...bound, what: "a stop", factor: 1.2 })).toThrow(
    "a reply: 150 ms, at most 100\n" + "a stop: 150 ms, at most 100 × 1.2, as the machine was 1.2 times slower",
  );
});

test("the limit of a control is as slow already", () => {
  expect(isInTime(byControl({ ...bound, factor: 2 }))).toBe(false);
  expect(isInTime(byControl({ ...bound, limitMs: 150, factor: 2 }))).toBe(true);
  expect(isInTime(byControl({ ...bound, factor: 4.1 }))).toBe(true);
});

test("a bound that cannot be judged fails nothing", () => {
  expect(() => judgeTime({ ...bound, factor: 4.1 })).not.toThrow();
});
