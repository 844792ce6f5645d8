import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root of the repository, with a slash at its end. */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A page that people read. */
export interface Document {
  /** Relative to the root. */
  readonly path: string;
  readonly text: string;
}

/** The pages whose names are checked. Pages that a test renders are compared by that test. */
const PAGES = [
  "*.md",
  "docs/**/*.md",
  "deploy/**/*.md",
  "{packages,services}/*/README.md",
  "{gateway,proto,test}/**/README.md",
];
const RENDERED = ["docs/errors.md", "docs/permissions.md", "docs/specification-coverage.md"];

/** Paths that are not sources of this repository. */
const FOREIGN = /(^|\/)(node_modules|\.git|\.cache|\.local|reports|coverage|gen)(\/|$)/;

/** Lists matching files and folders, relative to the root, but none that is installed, generated or a run's output. */
export function list(patterns: readonly string[]): string[] {
  const exclude = (path: string) => FOREIGN.test(path);
  return globSync([...patterns], { cwd: ROOT, exclude }).filter((path) => !exclude(path));
}

export function readText(path: string): string {
  return readFileSync(ROOT + path, "utf8");
}

export const documents: readonly Document[] = list(PAGES)
  .filter((path) => !RENDERED.includes(path))
  .sort()
  .map((path) => ({ path, text: readText(path) }));
