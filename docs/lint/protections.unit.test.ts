import { expect, test } from "@jest/globals";
import { list, readText } from "../test/documents.ts";

/** Returns the names in the sources of all programs and tests, sorted. */
function namesIn(expression: RegExp): string[] {
  const paths = list(["{bench,deploy,docs,gateway,packages,services,test}/**/*.ts"]);
  return paths.flatMap((path) => [...readText(path).matchAll(expression)].map(([, name = ""]) => name)).toSorted();
}

test("each marker of a protection is in one place, and each is one that a control removes", () => {
  const markers = namesIn(/(?:\/\/|--) protects: ([a-z0-9-]+)$/gm);
  const removed = new Set(namesIn(/\bmarker: "([^"]*)"/g));
  expect(markers.length).toBeGreaterThan(90);
  expect(markers).toEqual([...removed].toSorted());
});
