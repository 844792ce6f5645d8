import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

export interface FindOptions {
  /** Where a fetched nats-server is kept. */
  cacheFolder: string;
  /** Receives a line about steps that take long. */
  log: (line: string) => void;
}

/**
 * Finds a nats-server: on the PATH, in the cache folder, or fetched there by the system's package manager without root.
 * Returns undefined if this machine offers none (the reason has been logged).
 */
export async function findNatsServer({ cacheFolder, log }: FindOptions): Promise<string | undefined> {
  const cached = join(resolve(cacheFolder), "nats-server");
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = [...folders.map((folder) => join(folder, "nats-server")), cached].find(isProgram);
  return found ?? (await fetchNatsServer({ to: cached, log }));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const run = promisify(execFile);

interface FetchOptions {
  /** The path at which the program is stored. */
  to: string;
  log: (line: string) => void;
}

/**
 * Extracts nats-server from Debian's package of that name (2.9.10 in Debian 12, JetStream included) without installing
 * anything or changing the system: it is unpacked in a separate folder and only the program is kept. Returns undefined,
 * with a logged line, if there is no apt or no such package or no way to download it.
 */
async function fetchNatsServer({ to, log }: FetchOptions): Promise<string | undefined> {
  await mkdir(dirname(to), { recursive: true });
  const folder = await mkdtemp(join(dirname(to), "fetch-"));
  try {
    log("fetching nats-server with the system's package manager (once; about 4 MB)");
    const archive = await download(folder, log);
    await run("dpkg", ["-x", archive, join(folder, "package")]);
    const programs = ["usr/sbin/nats-server", "usr/bin/nats-server"].map((path) => join(folder, "package", path));
    const program = programs.find((path) => existsSync(path));
    if (program === undefined) throw new Error("its package holds no nats-server program");
    await rename(program, to); // atomic: another process may fetch concurrently
    return to;
  } catch (error) {
    log(`nats-server could not be fetched: ${firstLine(error)}`);
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Uses the system's package lists if it has them, otherwise lists of our own, which need no root. */
async function download(folder: string, log: (line: string) => void): Promise<string> {
  const options = { cwd: folder, timeout: 120_000 };
  try {
    await run("apt-get", ["download", "nats-server"], options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new Error("this system has no apt-get");
    log("the system's package lists do not name nats-server: reading fresh ones into the cache");
    const own = await ownPackageLists(folder);
    await run("apt-get", [...own, "update"], options);
    await run("apt-get", [...own, "download", "nats-server"], options);
  }
  const archive = (await readdir(folder)).find((name) => name.endsWith(".deb"));
  if (archive === undefined) throw new Error("apt-get downloaded nothing");
  return join(folder, archive);
}

async function ownPackageLists(folder: string): Promise<string[]> {
  const state = join(folder, "apt-state");
  const cache = join(folder, "apt-cache");
  await mkdir(join(state, "lists", "partial"), { recursive: true });
  await mkdir(join(cache, "archives", "partial"), { recursive: true });
  const settings = [`Dir::State=${state}`, `Dir::State::status=/var/lib/dpkg/status`, `Dir::Cache=${cache}`];
  return [...settings, "APT::Sandbox::User="].flatMap((setting) => ["-o", setting]);
}

function firstLine(error: unknown): string {
  const output = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
  return output.split("\n").find((line) => line.startsWith("E:")) ?? output.split("\n")[0] ?? "";
}

export interface DebianPackages {
  /** The folder into which they are unpacked, once. */
  readonly root: string;
  readonly packages: readonly string[];
}

/** Programs of Debian's packages that this machine need not have installed. */
export interface UnpackedPackages {
  /** Returns the path of a program: the unpacked one, or the system's. @throws Error if there is none */
  programIn(path: string): string;
  /** With which the programs find their libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Unpacks packages, with all that they need and this machine lacks: nothing is installed, no service starts, and root is not
 * needed. @throws Error if there is no apt or no such package
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
