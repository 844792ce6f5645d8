import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { findCycles, readFolderGraph } from "./feature-folders.ts";

test.each(["workspace", "environment", "identity"])("the feature folders of %s form no cycle", (service) => {
  const src = fileURLToPath(new URL(`../../services/${service}/src`, import.meta.url));
  expect(findCycles(readFolderGraph(src))).toEqual([]);
});

test("a cycle over three folders is found", () => {
  const src = mkdtempSync(join(tmpdir(), "folders-"));
  for (const [folder, imported] of [
    ["links", "orders"],
    ["orders", "people"],
    ["people", "links"],
    ["unrelated", "people"],
  ] as const) {
    mkdirSync(join(src, folder));
    writeFileSync(join(src, folder, "one.ts"), `import { one } from "../${imported}/one.ts";\n`);
  }
  try {
    expect(findCycles(readFolderGraph(src))).toEqual(["links <-> orders", "links <-> people", "orders <-> people"]);
  } finally {
    rmSync(src, { recursive: true });
  }
});
