import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { mechanisms } from "./mechanisms.ts";

describe.each(mechanisms.filter(({ removed }) => removed.length > 0))("$name", ({ removed }) => {
  test.each(removed)("is found once in $file", ({ file, find, replace }) => {
    const source = readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  });
});
