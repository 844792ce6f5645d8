import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Finds Prometheus: on the PATH, or where its package was unpacked in the cache folder. Downloads nothing. */
export function findPrometheus(cacheFolder: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...folders, join(cacheFolder, "prometheus/usr/bin")]
    .map((folder) => join(folder, "prometheus"))
    .find(isProgram);
}

/** Printed instead of a start. */
export const NO_PROMETHEUS =
  "no Prometheus was found, so none is started: install one (Debian: apt-get install prometheus), or start without --prometheus";

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
