import { describe, expect, test } from "@jest/globals";
import { documents } from "./documents.ts";
import {
  brokenLinks,
  missingCommands,
  missingFiles,
  missingTables,
  repeatedLines,
  unknownIdentifiers,
  unknownNames,
} from "./named-things.ts";

/** The page that names parts of other libraries, and alternatives that were considered. */
const OF_OTHERS = ["docs/dependencies.md"];

describe.each(documents)("$path names what exists", (document) => {
  test("links", () => expect(brokenLinks(document)).toEqual([]));
  test("files and folders", () => expect(missingFiles(document)).toEqual([]));
  test("npm commands", () => expect(missingCommands(document)).toEqual([]));
  test("tables", () => expect(missingTables(document)).toEqual([]));
  test("no line twice", () => expect(repeatedLines(document)).toEqual([]));

  if (!OF_OTHERS.includes(document.path)) {
    test("columns and metrics", () => expect(unknownNames(document)).toEqual([]));
    test("identifiers", () => expect(unknownIdentifiers(document)).toEqual([]));
  }
});

test("a page that names missing things is reported", () => {
  const path = "docs/wrong.md";
  const text = [
    "See [this](gone.md) and [that](lock-order.md#gone), `packages/gone/src/index.ts` and `gone-away.ts`; run",
    "`npm run gone`, `npm run generate --workspace services/workspace` or `npm test -- services/gone`. The tables",
    "`inbox` and `gone_tables` hold `gone_column`; `goneFunction()` returns them.",
  ].join("\n");
  const wrong = { path, text };
  expect(brokenLinks(wrong)).toEqual(["gone.md", "lock-order.md#gone"]);
  expect(missingFiles(wrong)).toEqual(["packages/gone/src/index.ts", "gone-away.ts", "services/gone"]);
  expect(missingCommands(wrong)).toEqual([
    "npm run gone",
    "npm run generate --workspace services/workspace",
    "npm test -- services/gone",
  ]);
  expect(missingTables(wrong)).toEqual(["gone_tables"]);
  expect(unknownNames(wrong)).toEqual(["gone_tables", "gone_column"]);
  expect(unknownIdentifiers(wrong)).toEqual(["goneFunction"]);
  const line = "written from their bytes, without creating a message.";
  expect(repeatedLines({ path, text: `${line}\n${line} Types with maps\n` })).toEqual([line]);
});
