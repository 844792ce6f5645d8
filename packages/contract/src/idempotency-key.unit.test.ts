import { expect, test } from "@jest/globals";
import { codeOf, reasonOf } from "./fail.ts";
import { parseIdempotencyKey } from "./request-headers.ts";

test.each(["a", " ", "~", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "x".repeat(255)])("%j is taken as it is", (key) => {
  expect(parseIdempotencyKey(key)).toBe(key);
});

test.each(["", "x".repeat(256), "\t", "a\nb", "\u007f", "é"])("%j is refused", (key) => {
  let error: unknown;
  try {
    parseIdempotencyKey(key);
  } catch (thrown) {
    error = thrown;
  }
  expect([codeOf(reasonOf(error)), (error as Error).message]).toEqual([
    "INVALID_PARAMETER",
    expect.stringContaining("Idempotency-Key must be 1 to 255 printable ASCII characters"),
  ]);
});
