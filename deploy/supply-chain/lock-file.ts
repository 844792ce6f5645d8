import { readFileSync } from "node:fs";

export interface LockedPackage {
  readonly name: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  /** Its files are in this repository, or in another package. */
  readonly isOwn: boolean;
}

interface Entry {
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

/** Returns the packages of the lock file. */
export function lockedPackages(): LockedPackage[] {
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Entry> };
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
