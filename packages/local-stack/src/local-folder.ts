import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { clusterFolderOf, LocalServerError } from "@cloud/local-servers";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import { pino } from "pino";
import type { LocalSettings } from "./local-settings.ts";

/** Whether others can list a folder or write into it. */
const OPEN = 0o066;

/**
 * Creates a folder for its user alone, and closes one that others can list or write to, as those of earlier releases. A
 * folder that others can only pass through (0711) stays: root without setpriv opens it to the user that Postgres runs as.
 */
export function closeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & OPEN) !== 0) chmodSync(folder, 0o700);
}

/** Returns the paths of everything that is kept between starts. */
export function localFolder(folder: string) {
  return {
    postgres: join(folder, "postgres"),
    nats: join(folder, "nats"),
    logs: join(folder, "logs"),
    prometheus: join(folder, "prometheus"),
    serviceToken: join(folder, "service-token"),
    demo: join(folder, "demo.json"),
    /** Marks an unfinished first start. */
    firstStart: join(folder, "first-start"),
    lock: join(folder, "running"),
  };
}

/** Deletes the files of earlier starts, by name: the folder may contain other files too. */
async function deleteLocalFolder(folder: string): Promise<void> {
  const { lock: _lock, firstStart: _mark, ...kept } = localFolder(folder);
  await Promise.all(Object.values(kept).map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })));
}

/** Returns the operator's credential, which is the same at every start. */
export async function readServiceToken(file: string): Promise<string> {
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept.trim() !== "") return kept.trim(); // empty: a start was killed while it wrote the file
  const token = randomBytes(32).toString("base64url");
  await writeFile(file, token, { mode: 0o600 });
  return token;
}

/** Logs each program to its own file, truncated at every start, so that the terminal stays readable. */
export function logToFiles(folder: string): (program: string) => Telemetry {
  closeFolder(folder);
  return (program) => {
    const dest = join(folder, `${program}.log`);
    const destination = pino.destination({ dest, append: false, sync: true, mode: 0o600 });
    // Process metrics cover all programs in the process, so one of them is enough.
    const processMetrics = program === "gateway";
    return createTelemetry({ service: program, level: "info", destination, processMetrics, accessSample: 1 });
  };
}

/**
 * Prepares the folder's data for a start: deletes them for --reset, and those of an unfinished first start, which
 * contain only a partial demo. From before the database is created until `finishFirstStart`, a file marks the folder;
 * with --no-demo there is no mark, because such a start leaves nothing partial.
 */
export async function prepareData(
  { folder, reset, demo }: Pick<LocalSettings, "folder" | "reset" | "demo">,
  print: (line: string) => void,
): Promise<void> {
  const paths = localFolder(folder);
  // With a demo.json, the first start has finished and was killed before it deleted the mark.
  const isUnfinished = existsSync(paths.firstStart) && !existsSync(paths.demo); // protects: finished-by-demo
  if (isUnfinished && !reset) print("the first start did not finish: beginning again from empty data");
  if (isUnfinished || reset) await deleteData(folder);
  if (existsSync(clusterFolderOf(paths.postgres))) return finishFirstStart(folder); // protects: kept-data

  print("making the database (first start only)");
  // Before the mark, because a mark is ignored if there is a demo.json; this one belongs to a deleted database.
  await rm(paths.demo, { force: true });
  // protects: first-start-marked
  if (demo) await writeFile(paths.firstStart, "");
  else await finishFirstStart(folder);
}

/** Keeps the data from now on: the demo's records are complete, and demo.json is written. */
export async function finishFirstStart(folder: string): Promise<void> {
  await rm(localFolder(folder).firstStart, { force: true });
}

/** Under the mark, so that the next start continues an interrupted deletion. */
async function deleteData(folder: string): Promise<void> {
  const paths = localFolder(folder);
  await rm(paths.demo, { force: true });
  await writeFile(paths.firstStart, "");
  await deleteLocalFolder(folder);
}

/**
 * Prevents a second `npm start` on the same folder, even one at the same moment. Returns the function that releases the
 * lock, which also works while the process exits. A lock whose owner was killed does not count. @throws
 * LocalServerError FOLDER_IN_USE
 */
export function acquireLocalLock(file: string): () => void {
  const mine = identityOf(process.pid) ?? "";
  const written = `${file}.${process.pid}`;
  writeFileSync(written, mine);
  try {
    assertDead(ownerOf(file));
    if (!tryLink(written, file)) takeFromDead(file, written); // protects: free-lock
  } finally {
    rmSync(written, { force: true });
  }
  return () => {
    if (ownerOf(file) === mine) rmSync(file, { force: true });
  };
}

/** A link is created atomically and by one process only, so that no other start reads a partial lock. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Serialized between starts, because another may have replaced the lock since it was read. */
function takeFromDead(file: string, written: string): void {
  const turn = `${file}.takeover`;
  const before = ownerOf(turn); // protects: takeover-turns
  if (before !== undefined && !isOwnerAlive(before)) rmSync(turn, { force: true }); // killed within these few lines
  if (!tryLink(written, turn)) throw inUse(ownerOf(turn));
  try {
    assertDead(ownerOf(file));
    rmSync(file, { force: true });
    if (!tryLink(written, file)) throw inUse(ownerOf(file));
  } finally {
    rmSync(turn, { force: true });
  }
}

function assertDead(owner: string | undefined): void {
  if (isOwnerAlive(owner)) throw inUse(owner);
}

function inUse(owner = "unknown"): LocalServerError {
  const message = `npm start is running already, as process ${owner.split(" ")[0]}: stop that one first.`;
  return new LocalServerError("FOLDER_IN_USE", message);
}

const isOwnerAlive = (owner: string | undefined): boolean =>
  owner !== undefined && owner === identityOf(Number.parseInt(owner, 10));

function ownerOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns process id and start time, because a process id alone is reused. */
function identityOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return undefined;
  }
  try {
    // The 22nd field of /proc/<pid>/stat; the second, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return `${pid} ${fields[19]}`;
  } catch {
    return `${pid} ?`; // no /proc: not Linux
  }
}
