import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * Creates the links between the libraries of the Postgres in `folder`, which an npm package cannot contain. The package
 * has an install script for that, but `npm ci` runs it with npm's Node, which does not run everywhere: so `allowScripts`
 * of package.json omits it. Idempotent, also in concurrent processes.
 */
export function linkLibraries(folder: string): void {
  const list = join(folder, "native/pg-symlinks.json");
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as Link[]) : [];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process has just made it
    }
  }
}

/** Paths from the folder of the package; the library is beside its link. */
interface Link {
  readonly source: string;
  readonly target: string;
}
