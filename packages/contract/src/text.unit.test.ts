import { expect, test } from "@jest/globals";
import { parseText, parseTextParameter } from "./values.ts";

test("a parameter's text has at most 255 characters, and the error names it", () => {
  expect(parseTextParameter("kind", "x".repeat(255))).toHaveLength(255);
  expect(() => parseTextParameter("kind", "x".repeat(256))).toThrow("kind must be at most 255 characters");
});

test("characters are code points, and U+0000 is removed", () => {
  const tooLong = () => new Error("too long");
  expect(parseText("\u{1f388}".repeat(255), tooLong)).toHaveLength(510);
  expect(() => parseText("\u{1f388}".repeat(256), tooLong)).toThrow("too long");
  expect(parseText("a\u0000b", tooLong)).toBe("ab");
});
