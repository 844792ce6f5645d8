import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LocalServerError } from "./local-server-error.ts";
import type { PostgresPrograms } from "./postgres-programs.ts";
import type { SystemUser } from "./system-user.ts";

export interface Cluster {
  folder: string;
  superuserPassword: string;
}

/** Where the cluster of a database folder lies; the superuser's password lies beside it. */
export const clusterFolderOf = (folder: string): string => join(folder, "cluster");

/**
 * Makes a new Postgres cluster in `folder`, or finds the one that is there. It is made under another name and renamed
 * when complete, so that an interrupted start leaves nothing that looks like a database.
 * @throws LocalServerError BROKEN_FOLDER
 */
export async function createCluster(
  folder: string,
  programs: PostgresPrograms,
  user: SystemUser | undefined,
  persistent: boolean,
): Promise<Cluster> {
  const cluster = clusterFolderOf(folder);
  const passwordFile = join(folder, "superuser-password");
  if (existsSync(cluster)) return { folder: cluster, superuserPassword: await readPassword(folder, passwordFile) };

  const unfinished = `${cluster}.unfinished`;
  const superuserPassword = randomBytes(24).toString("base64url");
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  user?.own(unfinished);
  await writeFile(passwordFile, superuserPassword, { mode: 0o600 });
  user?.own(passwordFile);
  await initdb({ command: programs.initdb, folder: unfinished, passwordFile, user, persistent });
  await rename(unfinished, cluster);
  return { folder: cluster, superuserPassword };
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
}

function initdb({ command, folder, passwordFile, user, persistent }: Initdb): Promise<void> {
  // C.UTF-8 of Postgres' own "builtin" provider (17 and later): the same order of strings on every machine.
  const locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
  const login = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const [program = command, ...wrapped] = user?.wrap(command) ?? [command];
  const args = [...wrapped, `--pgdata=${folder}`, ...locale, ...login, ...(persistent ? [] : ["--no-sync"])];
  const child = spawn(program, args, { cwd: "/", stdio: ["ignore", "ignore", "pipe"], ...user?.ids });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) =>
      reject(new LocalServerError("START_FAILED", `initdb could not make a database in ${folder}: ${said}`, cause));
    child.once("error", fail);
    child.once("close", (code) => (code === 0 ? resolve() : fail()));
  });
}
