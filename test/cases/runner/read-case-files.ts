import { readdirSync, readFileSync } from "node:fs";
import type { CaseFile } from "./case-file.ts";
import { parseCaseFile } from "./parse-case-file.ts";

const FOLDER = new URL("../", import.meta.url);

/** A file of cases, or its parse error: one bad file must not hide the others. */
export type ReadCaseFile = CaseFile | { readonly file: string; readonly refused: Error };

/** Returns every file of `cases/`, by name. */
export function readCaseFiles(): ReadCaseFile[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
  return names.sort().map((file) => {
    try {
      return parseCaseFile(file, readFileSync(new URL(file, FOLDER), "utf8"));
    } catch (cause) {
      const refused = cause instanceof Error ? cause : new Error(String(cause));
      return { file, refused: refused.message.startsWith(file) ? refused : new Error(`${file}: ${refused.message}`) };
    }
  });
}
