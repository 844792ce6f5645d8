import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTelemetry, type Telemetry } from "@cloud/telemetry";
import { pino } from "pino";

/** The paths of everything that is kept between starts. */
export function localFolder(folder: string) {
  return {
    postgres: join(folder, "postgres"),
    nats: join(folder, "nats"),
    logs: join(folder, "logs"),
    serviceToken: join(folder, "service-token"),
    demo: join(folder, "demo.json"),
    lock: join(folder, "running"),
  };
}

/** Deletes what earlier starts kept, by name: the folder may be one that holds other things too. */
export async function deleteLocalFolder(folder: string): Promise<void> {
  const { lock: _keep, ...kept } = localFolder(folder);
  await Promise.all(Object.values(kept).map((path) => rm(path, { recursive: true, force: true })));
}

/** The services' common credential; the same at every start. */
export async function readServiceToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    const token = randomBytes(32).toString("base64url");
    await writeFile(file, token, { mode: 0o600 });
    return token;
  }
}

/** Each program logs to a file of its own, written anew at every start, so that the terminal stays readable. */
export function logToFiles(folder: string): (program: string) => Telemetry {
  mkdirSync(folder, { recursive: true });
  return (program) => {
    const dest = join(folder, `${program}.log`);
    const destination = pino.destination({ dest, append: false, sync: true, mode: 0o600 });
    // Metrics of the process are those of all programs in it: one of them tells enough.
    return createTelemetry({ service: program, level: "info", destination, processMetrics: program === "gateway" });
  };
}
