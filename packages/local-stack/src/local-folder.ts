import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTelemetry, type Telemetry } from "@cloud/telemetry";
import { pino } from "pino";
import { closeFolder } from "./close-folder.ts";

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
export async function deleteLocalFolder(folder: string): Promise<void> {
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
