import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "../test-servers.ts";

/** Writes a file that only this user may read, deleted at the end of the jest run; returns its path. */
export function testFile(content: string): string {
  const file = join(testFolder(), "file.pem");
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}
