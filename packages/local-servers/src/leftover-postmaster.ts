import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { folderInUse, waitUntilExited } from "./leftover-server.ts";
import { argvOf, signalProcess } from "./running-processes.ts";

/**
 * Prepares `cluster` for a new Postgres after an earlier one was killed: waits up to `deadlineMs` milliseconds for one
 * that is still shutting down, ends the remaining processes of a killed one, and removes a postmaster.pid whose process
 * id now belongs to another program, which Postgres itself would mistake for a running server. @throws LocalServerError
 * FOLDER_IN_USE
 */
export async function clearLeftoverPostmaster(cluster: string, deadlineMs: number): Promise<void> {
  const file = pidFileOf(cluster);
  if (!existsSync(file)) return;
  const running = await waitUntilExited(() => possiblePostmasterOf(cluster), deadlineMs);
  if (running !== undefined) throw folderInUse("Postgres", cluster, running);
  await endOrphanedBackends(cluster);
  rmSync(file, { force: true });
}

/** Returns the process id of the Postgres that certainly runs in `cluster`. */
export function postmasterOf(cluster: string): number | undefined {
  const pid = readPid(cluster);
  return pid !== undefined && isPostmasterOf(pid, cluster) === true ? pid : undefined;
}

/** Does the same if neither its working folder nor its command line can be read: then any live process counts. */
function possiblePostmasterOf(cluster: string): number | undefined {
  const pid = readPid(cluster);
  return pid !== undefined && (isPostmasterOf(pid, cluster) ?? isAlive(pid)) ? pid : undefined;
}

/** Checks its working folder, which is its cluster; in a container root may not see that of another user. */
function isPostmasterOf(pid: number, cluster: string): boolean | undefined {
  if (!isAlive(pid)) return false;
  const folder = workingFolderOf(pid);
  if (folder !== undefined) return folder === realpathSync(cluster);
  const argv = argvOf(pid);
  return argv && argv[argv.indexOf("-D") + 1] === cluster;
}

/**
 * The processes of a killed postmaster exit by themselves within moments, unless one is frozen or computing. No
 * Postgres starts while one of them runs, and none of them can commit any more.
 */
async function endOrphanedBackends(cluster: string): Promise<void> {
  const first = () => serverProcessesIn(cluster)[0];
  if ((await waitUntilExited(first, 1_000)) === undefined) return;
  for (const pid of serverProcessesIn(cluster)) signalProcess(pid, "SIGKILL");
  const left = await waitUntilExited(first, 5_000);
  if (left !== undefined) throw folderInUse("Postgres", cluster, left);
}

/**
 * Identifies them by working folder and program name, because a user's shell may be in the folder. Empty without /proc.
 */
function serverProcessesIn(cluster: string): number[] {
  const folder = realpathSync(cluster);
  const pids = existsSync("/proc/self/cwd") ? readdirSync("/proc").map(Number).filter(Number.isInteger) : [];
  return pids.filter((pid) => workingFolderOf(pid) === folder && nameOf(pid) === "postgres");
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return undefined;
  }
}

function workingFolderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

const pidFileOf = (cluster: string): string => join(cluster, "postmaster.pid");

function readPid(cluster: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFileOf(cluster), "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
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
