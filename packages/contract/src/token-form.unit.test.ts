import { expect, test } from "@jest/globals";
import { hasTokenForm } from "./principal.ts";

const characters = "Az09-_".padEnd(43, "x");

test.each([
  ["a token", `cst_${characters}`, true],
  ["nothing", "", false],
  ["no prefix", characters, false],
  ["another prefix", `CST_${characters}`, false],
  ["a character too few", `cst_${characters.slice(1)}`, false],
  ["a character too many", `cst_${characters}x`, false],
  ["another alphabet", `cst_${characters.slice(1)}+`, false],
  ["a line break at the end", `cst_${characters}\n`, false],
  ["a token after a line break", `x\ncst_${characters}`, false],
])("%s", (_case, text, expected) => {
  expect(hasTokenForm(text)).toBe(expected);
});
