import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fetchNatsServer } from "./fetch-nats-server.ts";

export interface FindOptions {
  /** Where a fetched nats-server is kept for the next time. */
  cacheFolder: string;
  /** Told what takes long. */
  log: (line: string) => void;
}

/**
 * The path of a nats-server: one on the PATH, else one in the cache folder, else fetched there by the system's package
 * manager without root; undefined when this machine offers none (the reason has been logged).
 */
export async function findNatsServer({ cacheFolder, log }: FindOptions): Promise<string | undefined> {
  const cached = join(resolve(cacheFolder), "nats-server");
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = [...folders.map((folder) => join(folder, "nats-server")), cached].find(isProgram);
  return found ?? (await fetchNatsServer({ to: cached, log }));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
