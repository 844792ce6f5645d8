import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface SmallDisk {
  readonly folder: string;
  remove(): Promise<void>;
}

/** Mounts a tmpfs of this many MiB; returns undefined if that is not allowed, as without root. */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "cloud-small-disk-"));
  const mounted = await run("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder]).then(
    () => true,
    () => false,
  );
  const remove = () => rm(folder, { recursive: true, force: true });
  if (!mounted) {
    await remove();
    return undefined;
  }
  return {
    folder,
    remove: async () => {
      await run("umount", ["--lazy", folder]);
      await remove();
    },
  };
}
