import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { LocalServerError } from "./local-server-error.ts";
import type { PostgresPrograms } from "./postgres-programs.ts";
import type { SystemUser } from "./system-user.ts";

export interface Cluster {
  folder: string;
  superuserPassword: string;
}

const UNFINISHED = ".unfinished";

/** Returns the cluster's path in a database folder; the superuser's password is next to it. */
export const clusterFolderOf = (folder: string): string => join(folder, "cluster");

/**
 * Creates a Postgres cluster in `folder`, or finds the existing one. It is created under another name and renamed when
 * complete, so that an interrupted start leaves nothing that looks like a database. @throws LocalServerError
 * BROKEN_FOLDER
 */
export async function createCluster(
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

export function brokenFolder(folder: string, why: string, cause?: unknown): LocalServerError {
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
