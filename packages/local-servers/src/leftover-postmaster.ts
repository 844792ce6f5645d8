import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LocalServerError } from "./local-server-error.ts";

/**
 * Clears the way for a new Postgres in `cluster` after an earlier one that was killed: waits up to `deadlineMs`
 * milliseconds for one that is still shutting down, and removes a postmaster.pid whose process id now belongs to
 * another program, which Postgres itself would take for a running server.
 * @throws LocalServerError FOLDER_IN_USE
 */
export async function clearLeftoverPostmaster(cluster: string, deadlineMs: number): Promise<void> {
  const file = join(cluster, "postmaster.pid");
  const pollMs = 20;
  for (let waited = 0; existsSync(file); waited += pollMs) {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    if (!isPostmasterOf(pid, cluster)) {
      rmSync(file, { force: true });
      return;
    }
    if (waited >= deadlineMs) throw inUse(cluster, pid);
    await delay(pollMs);
  }
}

function inUse(cluster: string, pid: number): LocalServerError {
  const message = `The database folder ${cluster} is in use by a running Postgres, process ${pid}: stop it first.`;
  return new LocalServerError("FOLDER_IN_USE", message);
}

/** A postmaster's working folder is its cluster. Where /proc does not tell (not Linux), a living process counts. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!(pid > 0) || !isAlive(pid)) return false;
  if (!existsSync("/proc/self/cwd")) return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
