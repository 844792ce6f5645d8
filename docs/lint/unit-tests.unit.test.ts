import { basename, dirname } from "node:path";
import { expect, test } from "@jest/globals";
import { list } from "../test/documents.ts";

/** They test gateway/openapi.json, which has no source file of its own. */
const DOCUMENT_TESTS = [
  "gateway/scripts/openapi/openapi.unit.test.ts",
  "gateway/test/openapi/official-schema.unit.test.ts",
];

/** The folders of sources; `testing` contains what the tests of other packages import. */
const SOURCES = /\/(src|testing)\//;

/**
 * Returns the unit tests that are not beside their source: outside of the folders of sources, a unit test may only test
 * a file that tests use, which is beside it and has its name.
 */
function misplacedIn(paths: readonly string[]): string[] {
  const known = new Set(paths);
  const isBeside = (path: string) => known.has(`${dirname(path)}/${basename(path, ".unit.test.ts")}.ts`);
  return paths
    .filter((path) => path.endsWith(".unit.test.ts") && !DOCUMENT_TESTS.includes(path))
    .filter((path) => !SOURCES.test(path) && !isBeside(path));
}

test("each unit test of the packages, the services and the gateway is beside its source", () => {
  const paths = list(["{packages,services,gateway}/**/*.ts"]);
  expect(paths.filter((path) => path.endsWith(".unit.test.ts")).length).toBeGreaterThan(90);
  expect(misplacedIn(paths)).toEqual([]);
});

test("a planted one is found, and one of a file that only tests use is not", () => {
  const planted = "packages/access/test/caller.unit.test.ts";
  const paths = [planted, "packages/access/src/caller.ts", "packages/access/src/caller.unit.test.ts"];
  expect(misplacedIn(paths)).toEqual([planted]);
  expect(misplacedIn([...paths, "packages/access/test/caller.ts"])).toEqual([]);
});
