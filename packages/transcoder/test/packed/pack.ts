import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * Packs the transcoder and returns the path of the tarball, in a new folder. Packs a copy, in which nobody imports from the
 * package.json that packing replaces.
 */
export function packTranscoder(): string {
  const copy = join(ROOT, ".cache/transcoder");
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(ROOT, "packages/transcoder"), copy, { recursive: true });
  const target = mkdtempSync(join(tmpdir(), "packed-"));
  const PATH = join(ROOT, "node_modules/.bin") + delimiter + process.env["PATH"];
  const args = ["pack", "--json", "--pack-destination", target];
  execFileSync("npm", args, { cwd: copy, env: { ...process.env, PATH }, stdio: ["ignore", "ignore", "inherit"] });
  return execFileSync("find", [target, "-name", "*.tgz"], { encoding: "utf8" }).trim();
}

/** Returns the paths of the files in a tarball, in the folder `package`. */
export function listTarball(tarball: string): string[] {
  const lines = execFileSync("tar", ["tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  return lines.map((line) => line.replace(/^package\//, "")).sort();
}
