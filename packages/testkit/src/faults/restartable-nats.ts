import { mkdtempSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { startTestNats } from "../start-test-nats.ts";
import { currentTestRun } from "../test-run.ts";
import { signalAll } from "./process-tree.ts";
import { takeStablePort } from "./stable-port.ts";

export interface RestartableNats {
  readonly url: string;
  readonly port: number;
  /** Ends the server as a crash would. */
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** Empties the store of a server that was killed. */
  wipe(): Promise<void>;
  /** Keeps a copy of the store of a server that was killed; the function puts it back, into one that was killed again. */
  keepStore(): Promise<() => Promise<void>>;
  /** Freezes the server: connections stay open and get no answer. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export async function startRestartableNats(): Promise<RestartableNats> {
  const storeFolder = mkdtempSync(join(currentTestRun().folder, "nats-"));
  const port = await takeStablePort();
  let nats = await startTestNats({ storeFolder, port });
  const wipe = () => rm(storeFolder, { recursive: true, force: true });
  const resume = () => signalAll([nats.pid], "SIGCONT");
  return {
    url: nats.url,
    port,
    wipe,
    kill: async () => {
      signalAll([nats.pid], "SIGKILL");
      await nats.stop();
    },
    start: async () => {
      nats = await startTestNats({ storeFolder, port });
    },
    keepStore: async () => {
      const kept = mkdtempSync(join(currentTestRun().folder, "nats-kept-"));
      await cp(storeFolder, kept, { recursive: true });
      return async () => {
        await wipe();
        await cp(kept, storeFolder, { recursive: true });
      };
    },
    pause: () => signalAll([nats.pid], "SIGSTOP"),
    resume,
    stop: async () => {
      resume();
      await nats.stop();
      await wipe();
    },
  };
}
