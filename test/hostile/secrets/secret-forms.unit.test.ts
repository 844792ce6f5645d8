import { expect, test } from "@jest/globals";
import { formsOf } from "./secret-forms.ts";

const SECRET = "cst_k-j9BGmS4Iu-nH9VV3CNoyw6BV+VZ1/lCwpaurcUWg";
const forms = formsOf(SECRET);
const betrays = (text: string) => forms.some((form) => text.includes(form));

test.each(["", "a", "ab", "user:", "x".repeat(31)])("base64 is recognized after %j", (before) => {
  for (const after of ["", "!", "!!"]) {
    const text = Buffer.from(before + SECRET + after);
    expect([before, after, betrays(text.toString("base64")), betrays(text.toString("base64url"))]).toEqual([
      before,
      after,
      true,
      true,
    ]);
  }
});

test("so are hex and percent-encoding, and nothing else", () => {
  expect(betrays("\\x" + Buffer.from(SECRET).toString("hex"))).toBe(true);
  expect(betrays("?token=" + encodeURIComponent(SECRET))).toBe(true);
  expect(betrays(SECRET.slice(0, 8))).toBe(false);
});
