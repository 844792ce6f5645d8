import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fetchNatsServer } from "./fetch-nats-server.ts";

export interface FindOptions {
  /** Where a fetched nats-server is kept. */
  cacheFolder: string;
  /** Receives a line about steps that take long. */
  log: (line: string) => void;
}

/**
 * Finds a nats-server: on the PATH, in the cache folder, or fetched there by the system's package manager without root.
 * Returns undefined if this machine offers none (the reason has been logged).
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
