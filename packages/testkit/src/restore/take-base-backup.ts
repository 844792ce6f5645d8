import { chmod, chown, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "@cloud/postgres";
import pg from "pg";
import { copyDataFolder } from "./copy-data-folder.ts";

/**
 * Takes a base backup of a running server into the folder `to`, by the low-level API: the embedded Postgres has no
 * `pg_basebackup`. Returns when the WAL that makes the copy consistent is in the archive.
 */
export async function takeBaseBackup({ url, cluster, to }: { url: string; cluster: string; to: string }) {
  const client = new pg.Client({ connectionString: url, application_name: "base-backup" });
  client.on("error", () => undefined); // the current query fails too
  await client.connect();
  try {
    // Start and stop must share a session. `true`: checkpoint immediately, instead of within five minutes.
    await client.query(sql`select pg_backup_start('test', true)`);
    await copyDataFolder(cluster, to);
    const stopped = await client.query<{ labelfile: string }>(sql`
      select labelfile
      from pg_backup_stop()`);
    await writeOwned(join(to, "backup_label"), stopped.rows[0]?.labelfile ?? "");
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Writes a file into a data folder, owned by the server's user. */
export async function writeOwned(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o600);
  const { uid, gid } = await stat(join(path, ".."));
  if (process.getuid?.() === 0) await chown(path, uid, gid);
}
