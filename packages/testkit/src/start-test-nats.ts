import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { startNats } from "@cloud/local-servers";
import { currentTestRun, noteOpened } from "./test-run.ts";

export interface TestNats {
  url: string;
  pid: number;
  /** JetStream's files. Deleted by `stop` unless the caller named the folder. */
  storeFolder: string;
  stop(): Promise<void>;
}

/**
 * Starts a nats-server with JetStream for one test alone, in about 20 ms. To restart one, name the `port` and the
 * `storeFolder` of the first, which then stays the caller's to delete.
 */
export async function startTestNats(again: { port?: number; storeFolder?: string } = {}): Promise<TestNats> {
  const { folder, natsServer } = currentTestRun();
  if (natsServer === "") throw new Error("tests need a nats-server: put one on the PATH (it could not be fetched)");
  const storeFolder = again.storeFolder ?? mkdtempSync(join(folder, "nats-"));
  const nats = await startNats({ binary: natsServer, port: again.port, storeFolder });
  const noteClosed = noteOpened("nats-server", `${basename(storeFolder)}-${nats.pid}`);

  const stop = async () => {
    await nats.stop();
    if (again.storeFolder === undefined) await rm(storeFolder, { recursive: true, force: true });
    noteClosed();
  };
  return { url: nats.url, pid: nats.pid, storeFolder, stop };
}
