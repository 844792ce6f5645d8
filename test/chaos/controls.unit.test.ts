import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { controls } from "./controls.ts";

describe.each(Object.entries(controls))("the protection %s", (_name, places) => {
  test.each(places)("is found once in $file", ({ file, find, replace }) => {
    const source = readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  });
});
