import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { takeStablePort } from "@cloud/testkit";
import type { RestartablePostgres } from "@cloud/testkit/faults";
import { fetchLibfaketime } from "./fetch-libfaketime.ts";

export interface SteppablePostgres extends RestartablePostgres {
  /** Sets the running server's clock to this many seconds after (or, if negative, before) the real time. */
  setClock(offsetSeconds: number): void;
}

const MAIN = fileURLToPath(new URL("postgres-process.ts", import.meta.url));

/** Starts a Postgres that reads its clock through libfaketime. It cannot be restarted. */
export async function startSteppablePostgres(): Promise<SteppablePostgres> {
  // Not below the folder of the test run, which Postgres' user may not enter.
  const folder = mkdtempSync(join(tmpdir(), "cloud-clock-"));
  chmodSync(folder, 0o755);
  const [library, offsetFile] = [join(folder, "libfaketime.so.1"), join(folder, "offset")];
  await copyFile(await fetchLibfaketime(), library);
  const setClock = (seconds: number) => writeFileSync(offsetFile, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  setClock(0);
  const port = await takeStablePort();
  const child = spawn(process.execPath, [MAIN, join(folder, "postgres"), String(port), library, offsetFile], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const superuserUrl = await Promise.race([
    once(createInterface(child.stdout), "line").then(([line]) => String(line)),
    ended.then(([code]) => Promise.reject(new Error(`the Postgres with a clock of its own did not start: ${code}`))),
  ]);
  const refuse = () => {
    throw new TypeError("a Postgres with a clock of its own is not stopped and started again");
  };
  return {
    superuserUrl,
    port,
    setClock,
    stopImmediately: refuse,
    kill: refuse,
    start: refuse,
    pause: refuse,
    resume: refuse,
    stop: async () => {
      child.stdin.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
