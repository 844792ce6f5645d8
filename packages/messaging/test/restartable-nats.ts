import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startTestNats } from "@cloud/testkit";

export interface RestartableNats {
  readonly url: string;
  /** Ends the server as a crash would. */
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
  /** Empties the store of a server that was killed. */
  wipe(): Promise<void>;
  /** Freezes the server: connections stay open and get no answer. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startRestartableNats(): Promise<RestartableNats> {
  const storeFolder = await mkdtemp(path.join(tmpdir(), "nats-store-"));
  let nats = await startTestNats({ storeFolder });
  const { url } = nats;
  const wipe = () => rm(storeFolder, { recursive: true, force: true });
  return {
    url,
    wipe,
    kill: async () => {
      process.kill(nats.pid, "SIGKILL");
      await nats.stop();
    },
    start: async () => {
      nats = await startTestNats({ storeFolder, port: Number(new URL(url).port) });
    },
    freeze: () => void process.kill(nats.pid, "SIGSTOP"),
    thaw: () => void process.kill(nats.pid, "SIGCONT"),
    stop: async () => {
      await nats.stop();
      await wipe();
    },
  };
}
