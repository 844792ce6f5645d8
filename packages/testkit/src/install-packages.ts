import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL("../../../.cache/packages/", import.meta.url));
const IMPORT = "import-here.mjs";

/**
 * Installs what few tests need and `npm ci` of the repository therefore leaves out: the packages of a folder with a
 * package.json and its lock file, at those versions and with those digests, into the cache. Asks the registry only when
 * the lock file has changed. Returns the folder in the cache. Rejects if the registry cannot be reached.
 */
export async function installPackages(folder: URL): Promise<string> {
  const lock = await readFile(new URL("package-lock.json", folder), "utf8");
  const { name } = JSON.parse(lock) as { readonly name: string };
  const place = join(CACHE, `${name}-${createHash("sha256").update(lock).digest("hex").slice(0, 16)}`);
  if (existsSync(place)) return place;
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, "draft-"));
  try {
    for (const file of ["package.json", "package-lock.json"]) {
      await copyFile(new URL(file, folder), join(draft, file));
    }
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: draft });
    await writeFile(join(draft, IMPORT), "export const importHere = (specifier) => import(specifier);\n");
    await rename(draft, place).catch((error: unknown) => {
      // Another process was faster.
      if (!existsSync(place)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return place;
}

/**
 * Imports a module as a file in a folder of `installPackages` does. The caller states its type: the compiler has none.
 */
export async function importFrom<Module>(installed: string, specifier: string): Promise<Module> {
  const { importHere } = (await import(pathToFileURL(join(installed, IMPORT)).href)) as {
    importHere(specifier: string): Promise<Module>;
  };
  return await importHere(specifier);
}
