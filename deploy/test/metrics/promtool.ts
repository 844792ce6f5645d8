import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHED = fileURLToPath(new URL("../../../.cache/debian/usr/bin", import.meta.url));

/** Runs promtool. Returns its exit code and what it printed. @throws Error that says how to get it */
export function promtool(args: readonly string[], options: { readonly input?: string; readonly cwd?: string } = {}) {
  const { status, stdout, stderr } = spawnSync(find(), args, { encoding: "utf8", ...options });
  return { status, output: (stdout + stderr).trim() };
}

function find(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = [...folders, CACHED].map((folder) => join(folder, "promtool")).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    "no promtool: apt-get install prometheus, or unpack Debian's package: " +
      "apt-get download prometheus && dpkg-deb -x prometheus_*.deb .cache/debian",
  );
}
