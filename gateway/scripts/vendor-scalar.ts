import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

// Copies the one file of @scalar/api-reference into gateway/scalar, compressed and named after its contents, beside its
// licence. The package is no dependency, not even for development: its 254 packages would be a third of `npm ci`. It is
// fetched only when the copy is of another version than this. With --check only compares the copy.
const ORIGIN = {
  package: "@scalar/api-reference@1.72.1",
  integrity: "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==",
};
// The package has no copy of the licence of its repository; this one, of the same repository, has.
const LICENCE = {
  package: "@scalar/api-client@3.21.1",
  integrity: "sha512-AYTzdvfkuEBvw72ejVdGeSoJmr/cfMBjG4LHtanYvxkk7/zDjR8YKN6Rpx4SzQMlxy2d80C8Sutxc/GJWvifBA==",
};
const RECORD = `${JSON.stringify({ script: ORIGIN, licence: LICENCE }, null, 2)}\n`;

const target = new URL("../scalar/", import.meta.url);
const nameOf = (script: string) => `scalar.${createHash("sha256").update(script).digest("hex").slice(0, 16)}.js.gz`;

if (!isCurrent()) {
  if (process.argv.includes("--check")) {
    process.stderr.write(`gateway/scalar is not what ${ORIGIN.package} contains: run npm run generate\n`);
    process.exitCode = 1;
  } else {
    copy();
  }
}

function copy(): void {
  const script = read(ORIGIN, "package/dist/browser/standalone.js").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
  const licence = read(LICENCE, "package/LICENSE");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  writeFileSync(new URL(nameOf(script), target), gzipSync(script, { level: 9 }));
  writeFileSync(new URL("scalar.LICENSE", target), licence);
  writeFileSync(new URL("scalar.origin.json", target), RECORD);
}

/** Fetches a package from the registry, compares it with its digest, and returns one of its files. */
function read(origin: typeof ORIGIN, file: string): string {
  const folder = mkdtempSync(join(tmpdir(), "scalar-"));
  try {
    run("npm", ["pack", "--silent", origin.package, "--pack-destination", folder]);
    const [archive = ""] = readdirSync(folder);
    const digest = `sha512-${createHash("sha512")
      .update(readFileSync(join(folder, archive)))
      .digest("base64")}`;
    if (digest !== origin.integrity) throw new Error(`${origin.package} has ${digest}, not ${origin.integrity}`);
    return run("tar", ["--extract", "--to-stdout", "--gzip", "--file", join(folder, archive), file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(program: string, args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
}

/**
 * Returns whether the copy has this version and was not changed: the name of the script has its digest.
 */
function isCurrent(): boolean {
  const files = readdirSync(target).sort();
  const [script = ""] = files.filter((file) => file.endsWith(".js.gz"));
  return (
    files.join() === ["scalar.LICENSE", "scalar.origin.json", script].sort().join() &&
    nameOf(gunzipSync(readFileSync(new URL(script, target))).toString()) === script &&
    readFileSync(new URL("scalar.origin.json", target), "utf8") === RECORD
  );
}
