import { expect, test } from "@jest/globals";
import { secondsLeft, windowOf } from "./window-rules.ts";

test.each([
  [0, 0, 60],
  [1, 0, 60],
  [1_000, 0, 59],
  [59_001, 0, 1],
  [59_999, 0, 1],
  [60_000, 60_000, 60],
  [61_500, 60_000, 59],
])("at %d ms the window of %d ends in %d s", (now, start, seconds) => {
  expect([windowOf(now), secondsLeft(now)]).toEqual([start, seconds]);
});
