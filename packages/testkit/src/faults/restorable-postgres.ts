import { existsSync, mkdtempSync } from "node:fs";
import { chmod, chown, copyFile, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "@cloud/postgres";
import pg from "pg";
import { currentTestRun } from "../test-servers.ts";
import { waitFor } from "../test-telemetry.ts";
import { type RestartablePostgres, startRestartablePostgres } from "./restartable-postgres.ts";

/** A point in a server's history that it can be restored to. */
interface Moment {
  /** The name of the restore point. */
  readonly name: string;
  /** A restore begins a new timeline, and later points are on that one. */
  readonly timeline: number;
  /** The folder of the base backup to which the WAL is applied. */
  readonly backup: string;
}

/**
 * A restartable Postgres that archives its WAL: base backups are taken while it serves, and it can be restored to a
 * moment.
 */
export interface RestorablePostgres extends RestartablePostgres {
  /** Takes a base backup; later moments are restored from it. */
  backUp(): Promise<void>;
  /** Marks the current moment, and waits until the WAL up to it is archived. @throws Error before the first backup */
  markMoment(): Promise<Moment>;
  /**
   * Replaces the server by the backup with the WAL up to `moment`, on the same port: later commits are lost. Any moment
   * can be chosen, including one of a history that an earlier restore abandoned.
   */
  restoreTo(moment: Moment): Promise<void>;
}

const ARCHIVE_DEADLINE_MS = 60_000;

export async function startRestorablePostgres(): Promise<RestorablePostgres> {
  const folder = mkdtempSync(join(currentTestRun().folder, "postgres-"));
  const [cluster, archive] = [join(folder, "cluster"), join(folder, "archive")];
  // An incomplete copy never has the name that a restore reads.
  const archive_command = `cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`;
  const settings = { archive_mode: "on", wal_level: "replica", archive_command };
  const postgres = await startRestartablePostgres({ folder, settings });
  await createFolderLike(cluster, archive); // before the first segment is full
  let backups = 0;
  let moments = 0;
  let current: string | undefined;

  return {
    ...postgres,
    backUp: async () => {
      const to = join(folder, `backup-${++backups}`);
      await takeBaseBackup({ url: postgres.superuserUrl, cluster, to });
      current = to;
    },
    markMoment: async () => {
      if (current === undefined) throw new Error("a moment needs a backup before it");
      const name = `moment-${++moments}`;
      const { timeline, segment } = await endSegment(postgres.superuserUrl, name);
      await isArchived(join(archive, segment));
      return { name, timeline, backup: current };
    },
    restoreTo: async ({ name, timeline, backup }) => {
      await postgres.stopImmediately();
      await rm(cluster, { recursive: true });
      await copyDataFolder(backup, cluster);
      await writeOwned(join(cluster, "recovery.signal"), "");
      await postgres.start({
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_name: name,
        recovery_target_timeline: String(timeline),
        recovery_target_action: "promote",
        hot_standby: "off", // otherwise it accepts connections before it has reached the moment
      });
      // The next restore chooses its timeline by the archived histories.
      const { timeline: begun } = await endSegment(postgres.superuserUrl, "restored");
      await isArchived(join(archive, begun.toString(16).padStart(8, "0") + ".history"));
      current = backup;
    },
  };
}

const isArchived = (file: string) => waitFor(() => existsSync(file) || undefined, { deadlineMs: ARCHIVE_DEADLINE_MS });

/** Creates a restore point and ends its WAL segment, which is then archived although it is not full. */
async function endSegment(url: string, point: string): Promise<{ timeline: number; segment: string }> {
  const client = new pg.Client({ connectionString: url, application_name: "restore-point" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(sql`select pg_create_restore_point($1)`, [point]);
    const { rows } = await client.query<{ segment: string }>(sql`select pg_walfile_name(pg_switch_wal()) as segment`);
    const segment = rows[0]?.segment ?? "";
    return { segment, timeline: Number.parseInt(segment.slice(0, 8), 16) };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createFolderLike(model: string, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  const { uid, gid } = await stat(model);
  if (process.getuid?.() === 0) await chown(folder, uid, gid);
}

/**
 * Takes a base backup of a running server into the folder `to`, by the low-level API: the embedded Postgres has no
 * `pg_basebackup`. Returns when the WAL that makes the copy consistent is in the archive.
 */
async function takeBaseBackup({ url, cluster, to }: { url: string; cluster: string; to: string }) {
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
async function writeOwned(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o600);
  const { uid, gid } = await stat(join(path, ".."));
  if (process.getuid?.() === 0) await chown(path, uid, gid);
}

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
async function copyDataFolder(from: string, to: string): Promise<void> {
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
