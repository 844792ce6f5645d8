import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL("../../../.cache", import.meta.url));

/**
 * Returns the path of libfaketime, extracted once from Debian's package of that name, like `fetchNatsServer`: nothing
 * is installed, and root is not needed. @throws Error if there is no apt or no such package
 */
export async function fetchLibfaketime(): Promise<string> {
  const library = join(CACHE, "libfaketime.so.1");
  if (existsSync(library)) return library;
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "fetch-"));
  try {
    await download(folder);
    const archive = (await readdir(folder)).find((name) => name.endsWith(".deb")) ?? "";
    await run("dpkg", ["-x", join(folder, archive), join(folder, "package")]);
    const files = await readdir(join(folder, "package"), { recursive: true });
    const unpacked = files.find((file) => file.endsWith("/libfaketime.so.1")) ?? "";
    await rename(join(folder, "package", unpacked), library); // atomic: another process may fetch concurrently
    return library;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Uses the system's package lists, otherwise lists of its own. */
async function download(folder: string): Promise<void> {
  const options = { cwd: folder, timeout: 120_000 };
  try {
    await run("apt-get", ["download", "libfaketime"], options);
  } catch {
    const [state, cache] = [join(folder, "apt-state"), join(folder, "apt-cache")];
    await mkdir(join(state, "lists", "partial"), { recursive: true });
    await mkdir(join(cache, "archives", "partial"), { recursive: true });
    const settings = [`Dir::State=${state}`, "Dir::State::status=/var/lib/dpkg/status", `Dir::Cache=${cache}`];
    const own = [...settings, "APT::Sandbox::User="].flatMap((setting) => ["-o", setting]);
    await run("apt-get", [...own, "update"], options);
    await run("apt-get", [...own, "download", "libfaketime"], options);
  }
}
