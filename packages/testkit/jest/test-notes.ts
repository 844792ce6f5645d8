import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The notes about a test file: the sum of what reporter.js and environment.js have written about it. */
export interface FileNotes {
  readonly path: string;
  /** Milliseconds since 1970, as `endedAt`. */
  readonly startedAt: number;
  /** The process that runs it. */
  readonly pid?: number;
  readonly endedAt?: number;
  /** Full names of the tests that failed. */
  readonly failed?: readonly string[];
  /** Whether it failed outside its tests: it could not be loaded, or was ended. */
  readonly isBroken?: boolean;
  /** Open resources that it has left and that keep a process alive, by Node's names. */
  readonly leftOpen?: readonly string[];
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export const nameOf = ({ path }: FileNotes): string => relative(ROOT, path);

/** Returns the test files that have been started. */
export function readNotes(file: string): FileNotes[] {
  const files = new Map<string, FileNotes>();
  for (const line of linesOf(file)) {
    const note = JSON.parse(line) as FileNotes;
    files.set(note.path, { ...files.get(note.path), ...note });
  }
  return [...files.values()];
}

/** Empty before jest has started a file. The last line may not be complete yet. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
