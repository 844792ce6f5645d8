import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface DebianPackages {
  /** The folder into which they are unpacked, once. */
  readonly root: string;
  readonly packages: readonly string[];
}

/** Programs of Debian's packages that this machine need not have installed. */
export interface UnpackedPackages {
  /** Returns the path of a program: the unpacked one, or the system's. @throws Error if there is none */
  programIn(path: string): string;
  /** The variables with which the programs find their libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Unpacks packages, with all that they need and this machine lacks: nothing is installed, no service starts, and root
 * is not needed.
 *
 * @throws Error if there is no apt or no such package
 */
export async function unpackDebian({ root, packages }: DebianPackages): Promise<UnpackedPackages> {
  if (!existsSync(root)) await unpack(root, packages);
  const libraries = existsSync(join(root, "usr/lib")) ? await readdir(join(root, "usr/lib")) : [];
  const ofMachine = libraries.find((name) => name.endsWith("-linux-gnu")) ?? "";
  return {
    programIn: (path) => {
      const found = [join(root, path), join("/", path)].find(existsSync);
      if (found === undefined) throw new Error(`there is no ${path}: delete ${root}, so that it is fetched again`);
      return found;
    },
    env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8", LD_LIBRARY_PATH: join(root, "usr/lib", ofMachine) },
  };
}

async function unpack(root: string, packages: readonly string[]): Promise<void> {
  await mkdir(dirname(root), { recursive: true });
  const folder = await mkdtemp(join(dirname(root), "fetch-"));
  try {
    const missing = await missingPackages(packages);
    if (missing.length > 0) await run("apt-get", ["download", ...missing], { cwd: folder, timeout: 300_000 });
    const archives = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
    const unpacked = join(folder, "root");
    await mkdir(unpacked);
    for (const archive of archives) await run("dpkg-deb", ["-x", join(folder, archive), unpacked]);
    await rename(unpacked, root); // atomic: another process may fetch concurrently
  } catch (error) {
    if (existsSync(root)) return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`this needs Debian's ${packages.join(", ")}: apt-get update first. ${reason}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the packages and their dependencies that are not installed, as a simulated installation lists them. */
async function missingPackages(packages: readonly string[]): Promise<string[]> {
  const options = ["--simulate", "--no-install-recommends", "install", ...packages];
  const { stdout } = await run("apt-get", options, { maxBuffer: 16 * 1024 * 1024 });
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name);
}
