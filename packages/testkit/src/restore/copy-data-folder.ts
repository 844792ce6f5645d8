import { chown, copyFile, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Folders that are copied empty, because the restored server fills them itself. The WAL comes from the archive. */
const EMPTY = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);

/** Files of the running server, not of its data. */
const LEFT_OUT = new Set(["postmaster.pid", "postmaster.opts"]);

/**
 * Copies the data folder of a Postgres that may be running, as `pg_basebackup` does: files that the server deletes
 * meanwhile are skipped, and torn pages are repaired by the write-ahead log. The copy keeps the owner of the original,
 * which differs from this process's user if that is root.
 */
export async function copyDataFolder(from: string, to: string): Promise<void> {
  const { uid, gid } = await stat(from);
  const own = async (path: string) => {
    if (process.getuid?.() === 0) await chown(path, uid, gid);
  };
  const copyFolder = async (path: string) => {
    await mkdir(join(to, path), { recursive: true, mode: 0o700 });
    await own(join(to, path));
    if (EMPTY.has(path)) return;
    for (const entry of await readdir(join(from, path), { withFileTypes: true })) {
      if (LEFT_OUT.has(entry.name)) continue;
      const inner = join(path, entry.name);
      await (entry.isDirectory() ? copyFolder(inner) : copyOne(inner)).catch(unlessDeleted);
    }
  };
  const copyOne = async (path: string) => {
    await copyFile(join(from, path), join(to, path));
    await own(join(to, path));
  };
  await copyFolder("");
}

function unlessDeleted(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
