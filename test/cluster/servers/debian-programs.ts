import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Where the programs of Debian's packages are, and with which environment they run. */
export interface DebianPrograms {
  readonly etcd: string;
  readonly haproxy: string;
  readonly pgbouncer: string;
  /** Run by Python. */
  readonly patroni: string;
  /** The folder with `postgres`, `pg_basebackup` and `pg_rewind`, which the npm package lacks. */
  readonly postgresFolder: string;
  readonly env: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL("../../../.cache", import.meta.url));
const ROOT = join(CACHE, "cluster-programs");
const PACKAGES = ["postgresql", "patroni", "etcd-server", "haproxy", "pgbouncer"];

/**
 * Returns the programs, unpacked once into the cache with all that they need and this machine lacks: nothing is
 * installed, no service starts, and root is not needed. @throws Error if there is no apt or no such package
 */
export async function debianPrograms(): Promise<DebianPrograms> {
  if (!existsSync(ROOT)) await unpack();
  const libraries = await readdir(join(ROOT, "usr/lib"));
  const ofMachine = libraries.find((name) => name.endsWith("-linux-gnu")) ?? "";
  return {
    etcd: programIn("usr/bin/etcd"),
    haproxy: programIn("usr/sbin/haproxy"),
    pgbouncer: programIn("usr/sbin/pgbouncer"),
    patroni: programIn("usr/bin/patroni"),
    postgresFolder: await postgresFolder(),
    env: {
      PATH: "/usr/bin:/bin",
      LANG: "C.UTF-8",
      LD_LIBRARY_PATH: join(ROOT, "usr/lib", ofMachine),
      PYTHONPATH: join(ROOT, "usr/lib/python3/dist-packages"),
    },
  };
}

/** Those that are unpacked, or those of the system, whose packages were then not downloaded. */
function programIn(path: string): string {
  const found = [join(ROOT, path), join("/", path)].find(existsSync);
  if (found === undefined) throw new Error(`there is no ${path}: delete ${ROOT}, so that it is fetched again`);
  return found;
}

async function postgresFolder(): Promise<string> {
  for (const folder of [join(ROOT, "usr/lib/postgresql"), "/usr/lib/postgresql"]) {
    const [newest] = existsSync(folder) ? (await readdir(folder)).toSorted().toReversed() : [];
    if (newest !== undefined && existsSync(join(folder, newest, "bin/pg_rewind"))) return join(folder, newest, "bin");
  }
  throw new Error("there is no PostgreSQL of Debian with pg_rewind");
}

async function unpack(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "fetch-"));
  try {
    const missing = await missingPackages();
    await run("apt-get", ["download", ...missing], { cwd: folder, timeout: 300_000 });
    const archives = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
    const root = join(folder, "root");
    for (const archive of archives) await run("dpkg-deb", ["-x", join(folder, archive), root]);
    await rename(root, ROOT); // atomic: another process may fetch concurrently
  } catch (error) {
    if (existsSync(ROOT)) return;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the runs of clusters need Debian's ${PACKAGES.join(", ")}: apt-get update first. ${reason}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the packages and their dependencies that are not installed, as a simulated installation lists them. */
async function missingPackages(): Promise<string[]> {
  const options = ["--simulate", "--no-install-recommends", "install", ...PACKAGES];
  const { stdout } = await run("apt-get", options, { maxBuffer: 16 * 1024 * 1024 });
  return [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = ""]) => name);
}
