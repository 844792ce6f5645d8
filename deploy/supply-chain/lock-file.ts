import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface LockedPackage {
  readonly name: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  /** Whether the package's files are in this repository, or in another package. */
  readonly isOwn: boolean;
}

interface Entry {
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const ROOT = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), "utf8");

/** The lock files of packages that single tests install. */
export const lockFilesOfTests: readonly string[] = globSync(
  "{test,deploy,bench,gateway}/**/packages/package-lock.json",
  {
    cwd: fileURLToPath(ROOT),
  },
);

/** Returns the packages of a lock file: of `npm ci` if none is named. */
export function lockedPackages(file = "package-lock.json"): LockedPackage[] {
  const { packages } = JSON.parse(read(file)) as { packages: Record<string, Entry> };
  return Object.entries(packages).map(([path, entry]) => ({
    ...entry,
    name: path.split("node_modules/").at(-1) ?? "",
    isOwn: !path.includes("node_modules/") || entry.link === true || entry.inBundle === true,
  }));
}

/** Returns `allowScripts` of package.json: whether a package with an install script may run it. */
export function allowedScripts(): Readonly<Record<string, boolean>> {
  return (JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> }).allowScripts;
}
