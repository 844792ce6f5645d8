import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { clusterFolderOf } from "@cloud/local-servers";
import { createTelemetry, type Telemetry } from "@cloud/runtime/telemetry";
import { pino } from "pino";
import type { LocalSettings } from "./local-settings.ts";

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

/**
 * Creates a folder for its user alone, and closes one that others can list or write to, as earlier releases left it. A
 * folder that others can only pass through (0711) stays: root without setpriv opens it to the user that Postgres runs
 * as.
 */
export function closeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & OPEN) !== 0) chmodSync(folder, 0o700);
}

/** The mode of a folder that others can list or write into. */
const OPEN = 0o066;

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
 * Prepares the folder's data for a start. Deletes them for --reset, and after an unfinished first start, which left
 * only a partial demo. From before the database is created until `finishFirstStart`, a file marks the folder; with
 * --no-demo there is no mark, because such a start leaves nothing partial.
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

/** Deletes the data under the mark, so that the next start continues an interrupted deletion. */
async function deleteData(folder: string): Promise<void> {
  const paths = localFolder(folder);
  await rm(paths.demo, { force: true });
  await writeFile(paths.firstStart, "");
  await deleteLocalFolder(folder);
}

/** Deletes the files of earlier starts, by name: the folder may contain other files too. */
async function deleteLocalFolder(folder: string): Promise<void> {
  const { lock: _lock, firstStart: _mark, ...kept } = localFolder(folder);
  await Promise.all(Object.values(kept).map((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })));
}
