import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { argvOf, runningProcesses, signalProcess } from "./running-processes.ts";
import { LocalServerError } from "./server-process.ts";

interface Leftover {
  /** The name in messages: Postgres, nats-server. */
  name: string;
  folder: string;
  /** Returns the process id while it runs; only of a process that is certainly this server. */
  find: () => number | undefined;
  /** Requests an orderly shutdown. */
  signal: NodeJS.Signals;
  /** Receives one line when there is a server to stop. */
  log: (line: string) => void;
}

/**
 * Stops a server that a killed start has left behind, by SIGKILL after 10 seconds. Only for the owner of the folder:
 * the server of another live program would be stopped as well.
 *
 * @throws LocalServerError FOLDER_IN_USE if it still runs then
 */
export async function stopLeftover({ name, folder, find, signal, log }: Leftover): Promise<void> {
  const pid = find();
  if (pid === undefined) return;
  log(`an earlier start left ${name} running (process ${pid}): stopping it`);
  signalProcess(pid, signal);
  if ((await waitUntilExited(find, 10_000)) === undefined) return;
  signalProcess(pid, "SIGKILL");
  if ((await waitUntilExited(find, 5_000)) !== undefined) throw folderInUse(name, folder, pid);
}

/** Returns the process id that `find` still returns after `deadlineMs` milliseconds. */
async function waitUntilExited(find: () => number | undefined, deadlineMs: number): Promise<number | undefined> {
  const deadline = AbortSignal.timeout(deadlineMs);
  for (;;) {
    const pid = find();
    if (pid === undefined || deadline.aborted) return pid;
    await delay(50); // scanning /proc takes milliseconds
  }
}

function folderInUse(name: string, folder: string, pid: number): LocalServerError {
  const message = `The folder ${folder} is in use by a running ${name}, process ${pid}: stop it first.`;
  return new LocalServerError("FOLDER_IN_USE", message);
}

/** The arguments of every nats-server started by `startNats`; `storeFolder` is a real path. */
export const natsArguments = (port: string, storeFolder: string): string[] => [
  "--addr",
  "127.0.0.1",
  "--port",
  port,
  "--jetstream",
  "--store_dir",
  storeFolder,
  "--config",
  configurationOf(storeFolder),
];

/** Returns the path of the configuration, which contains the passwords of the server's users. */
export const configurationOf = (storeFolder: string): string => join(storeFolder, "nats.conf");

/** Returns the process id of the nats-server that any process has started on this folder by `startNats`. */
export function natsServerOf(storeFolder: string): number | undefined {
  if (!existsSync(storeFolder)) return undefined;
  const folder = realpathSync(storeFolder);
  const isOurs = (args: readonly string[]) => args.join("\0") === natsArguments(args[3] ?? "", folder).join("\0");
  return runningProcesses().find(({ argv: [, ...args] }) => isOurs(args))?.pid;
}

/**
 * Waits up to `deadlineMs` milliseconds for an earlier nats-server of the folder that is still shutting down: two on
 * one store would overwrite each other's data.
 *
 * @throws LocalServerError FOLDER_IN_USE
 */
export async function waitForLeftoverNats(storeFolder: string, deadlineMs: number): Promise<void> {
  const running = await waitUntilExited(() => natsServerOf(storeFolder), deadlineMs);
  if (running !== undefined) throw folderInUse("nats-server", storeFolder, running);
}

/**
 * Prepares `cluster` for a new Postgres after an earlier one was killed: waits up to `deadlineMs` milliseconds for one
 * that is still shutting down, ends the remaining processes of a killed one, and removes a postmaster.pid whose process
 * id now belongs to another program, which Postgres itself would mistake for a running server.
 *
 * @throws LocalServerError FOLDER_IN_USE
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

/**
 * Returns the process id of the Postgres that may run in `cluster`: if neither the working folder nor the command line
 * of a process can be read, any live process counts.
 */
function possiblePostmasterOf(cluster: string): number | undefined {
  const pid = readPid(cluster);
  return pid !== undefined && (isPostmasterOf(pid, cluster) ?? isAlive(pid)) ? pid : undefined;
}

/**
 * Returns whether a process is the Postgres of `cluster`: by its working folder, or by its command line if root may not
 * see the folder of another user, as in a container. Undefined if neither can be read.
 */
function isPostmasterOf(pid: number, cluster: string): boolean | undefined {
  if (!isAlive(pid)) return false;
  const folder = workingFolderOf(pid);
  if (folder !== undefined) return folder === realpathSync(cluster);
  const argv = argvOf(pid);
  return argv && argv[argv.indexOf("-D") + 1] === cluster;
}

/**
 * Ends the processes of a killed postmaster. They exit by themselves within moments, unless one is frozen or computing.
 * No Postgres starts while one of them runs, and none of them can commit any more.
 */
async function endOrphanedBackends(cluster: string): Promise<void> {
  const first = () => serverProcessesIn(cluster)[0];
  if ((await waitUntilExited(first, 1_000)) === undefined) return;
  for (const pid of serverProcessesIn(cluster)) signalProcess(pid, "SIGKILL");
  const left = await waitUntilExited(first, 5_000);
  if (left !== undefined) throw folderInUse("Postgres", cluster, left);
}

/**
 * Returns the processes of Postgres in a folder. They are identified by working folder and program name, because a
 * user's shell may be in the folder. Empty without /proc.
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
