import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** What the scripts of a package read beside its own folder. */
const READ = ["tsconfig.base.json", "proto", "packages/packing"];

/**
 * Packs a package, named by its folder (`packages/client`), and returns the path of the tarball, in a new folder. Packs a
 * copy: packing replaces package.json, by which other tests import the sources meanwhile.
 */
export function packPackage(folder: string): string {
  // Of its own: several tests pack the same package at once.
  const places = join(ROOT, ".cache/packing");
  mkdirSync(places, { recursive: true });
  const place = mkdtempSync(join(places, basename(folder) + "-"));
  const copy = join(place, folder);
  cpSync(join(ROOT, folder), copy, { recursive: true });
  for (const path of READ.filter((path) => path !== folder)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(place, path));
  }
  const target = mkdtempSync(join(tmpdir(), "packed-"));
  const PATH = join(ROOT, "node_modules/.bin") + delimiter + process.env["PATH"];
  const args = ["pack", "--json", "--pack-destination", target];
  try {
    execFileSync("npm", args, { cwd: copy, env: { ...process.env, PATH }, stdio: ["ignore", "ignore", "inherit"] });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  const [tarball = ""] = readdirSync(target);
  return join(target, tarball);
}

/** Returns the paths of the files in a tarball, in the folder `package`. */
export function listTarball(tarball: string): string[] {
  const lines = execFileSync("tar", ["tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => line.replace(/^package\//, "")).sort();
}
