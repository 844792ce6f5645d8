import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { currentTestRun } from "./test-run.ts";

/** Creates an empty folder, deleted at the end of the jest run. */
export function testFolder(): string {
  return mkdtempSync(join(currentTestRun().folder, "folder-"));
}
