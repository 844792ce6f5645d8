import { expect, test } from "@jest/globals";
import { list, readText } from "../test/documents.ts";

/** More names than this in one interface are more than a reader keeps in mind. */
const MAX_NAMES = 25;

const entryPoints = list(["packages/*/package.json"]).flatMap((path) => {
  const { name, exports = {} } = JSON.parse(readText(path)) as Readonly<Record<string, string>> & {
    exports?: Readonly<Record<string, string>>;
  };
  return Object.keys(exports).map((entry) => name + entry.slice(1));
});

/** Returns the names that sources outside of a package import from each of its entry points. */
function readImportedNames(): Map<string, Set<string>> {
  const imported = new Map<string, Set<string>>(entryPoints.map((entry) => [entry, new Set()]));
  for (const path of list(["{packages,services,gateway,test,bench,deploy,docs}/**/*.ts"])) {
    for (const [, names = "", entry = ""] of readText(path).matchAll(/\{([^{}]*)\} from "(@cloud\/[^"]+)"/g)) {
      for (const name of names.split(",")) {
        const [original = ""] = name
          .trim()
          .replace(/^type /, "")
          .split(" as ");
        if (original !== "") imported.get(entry)?.add(original);
      }
    }
  }
  return imported;
}

test.each([...readImportedNames()])("others import at most 25 names from %s", (_entry, names) => {
  expect(names.size <= MAX_NAMES ? [] : [...names]).toEqual([]);
});
