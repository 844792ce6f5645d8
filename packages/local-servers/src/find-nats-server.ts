import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

export interface FindOptions {
  /** The folder in which a fetched nats-server is kept. */
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
  return findProgram("nats-server", cached) ?? (await fetchNatsServer({ to: cached, log }));
}

/**
 * Finds a program on the PATH, or at the path `cached`. Returns its path; undefined if this user can execute neither.
 */
export function findProgram(name: string, cached: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...folders.map((folder) => join(folder, name)), cached].find(isProgram);
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
