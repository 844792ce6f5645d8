import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "@jest/globals";
import { pauseBefore, requestedPause } from "./retry-pause.ts";

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
