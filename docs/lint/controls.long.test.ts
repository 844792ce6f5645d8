import { spawnSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { list, readText } from "../test/documents.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const COPY = join(ROOT, ".cache/controls");

/** Another line of the product, which a control runs with. */
interface Replacement {
  readonly marker: string;
  readonly instead: string;
}

const LITERAL = /"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`/g;
const TEXT = `(?:${LITERAL.source})`;
const WRITTEN = new RegExp(
  `\\bmarker: "([^"]*)",\\s*(?://[^\\n]*\\s*)*instead:\\s*(${TEXT}(?:\\s*\\+\\s*${TEXT})*)`,
  "g",
);

/** Returns the replacements of all controls; a `${hole}` counts as 1. */
function replacementsOfControls(): Replacement[] {
  const paths = list(["{bench,deploy,docs,gateway,packages,services,test}/**/*.ts"]);
  return paths.flatMap((path) =>
    [...readText(path).matchAll(WRITTEN)].map(([, marker = "", texts = ""]) => ({
      marker,
      instead: [...texts.matchAll(LITERAL)].map(([literal]) => textOf(literal)).join(""),
    })),
  );
}

function textOf(literal: string): string {
  if (literal.startsWith('"')) return JSON.parse(literal) as string;
  return literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, "1");
}

/** Copies the product, without its tests, and returns the text of its sources by path. */
function copyProduct(): Map<string, string> {
  rmSync(COPY, { recursive: true, force: true });
  for (const folder of ["packages", "services", "gateway"]) {
    const filter = (path: string) => !/node_modules|\.test\.ts$/.test(path);
    cpSync(join(ROOT, folder), join(COPY, folder), { recursive: true, filter });
  }
  cpSync(join(ROOT, "tsconfig.base.json"), join(COPY, "tsconfig.base.json"));
  symlinkSync(join(ROOT, "node_modules"), join(COPY, "node_modules"));
  const config = { extends: "./tsconfig.base.json", include: ["packages/*/src", "services/*/src", "gateway/src"] };
  writeFileSync(join(COPY, "tsconfig.json"), JSON.stringify(config));
  const paths = globSync(["{packages,services}/*/src/**/*.ts", "gateway/src/**/*.ts"], { cwd: COPY });
  return new Map(paths.map((path) => [path, readFileSync(join(COPY, path), "utf8")]));
}

function replace(source: string, { marker, instead }: Replacement): string {
  const mark = `// protects: ${marker}$`;
  return source.replace(new RegExp(`^ *${mark}\n.*|^.*${mark}`, "m"), () => instead);
}

/**
 * A line that cannot be parsed, and an unknown name, property or import. Other errors are as intended: a control leaves
 * things unused, or has a value where its type is unchecked.
 */
const OUTDATED = /error TS(1\d{3}|2304|2305|2339|2551|2552|2724):/;

test("what each control runs with names only what the source around it has", () => {
  const sources = copyProduct();
  const replacements = replacementsOfControls();
  const changesOf = [...sources].map(([path, source]) => {
    const texts = replacements.map((replacement) => replace(source, replacement)).filter((text) => text !== source);
    return { path, source, texts };
  });
  expect(changesOf.flatMap(({ texts }) => texts).length).toBeGreaterThan(80);
  // In each round a file has one replacement at most, as two of different controls may exclude each other.
  const rounds = Math.max(...changesOf.map(({ texts }) => texts.length));
  for (let round = 0; round < rounds; round++) {
    for (const { path, source, texts } of changesOf) writeFileSync(join(COPY, path), texts[round] ?? source);
    const { stdout } = spawnSync("tsc", ["--noEmit", "-p", COPY], { encoding: "utf8" });
    expect(stdout.split("\n").filter((line) => OUTDATED.test(line))).toEqual([]);
  }
});
