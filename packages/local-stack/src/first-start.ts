import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { clusterFolderOf } from "@cloud/local-servers";
import { deleteLocalFolder, localFolder } from "./local-folder.ts";
import type { LocalSettings } from "./local-settings.ts";

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
