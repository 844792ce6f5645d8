import { globSync, mkdtempSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createNatsUsers, type NatsUsers, takeStablePort } from "@cloud/local-servers";
import { startTestNats } from "../start-test-nats.ts";
import { currentTestRun } from "../test-servers.ts";
import { signalAll } from "./process-tree.ts";

export interface RestartableNats {
  /** The URL with the login of the operator, who may do everything. */
  readonly url: string;
  /** Returns the URL with the login of a service. */
  urlOf(service: string): string;
  readonly port: number;
  /** The users and their permissions, for another server on the same port. */
  readonly configurationFile: string;
  /** Ends the server like a crash. */
  kill(): Promise<void>;
  /** Restarts it on the same port. */
  start(): Promise<void>;
  /** Empties the store of a killed server. */
  wipe(): Promise<void>;
  /** Copies the store of a killed server. The returned function restores it, into a server that was killed again. */
  backUpStore(): Promise<() => Promise<void>>;
  /** The same for the messages of its streams only: the positions of their durables stay as they are. */
  backUpMessages(): Promise<() => Promise<void>>;
  /** Freezes the server: connections stay open and get no response. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export async function startRestartableNats(users: NatsUsers = createNatsUsers()): Promise<RestartableNats> {
  const storeFolder = mkdtempSync(join(currentTestRun().folder, "nats-"));
  const port = await takeStablePort();
  let nats = await startTestNats({ storeFolder, port, users });
  const wipe = () => rm(storeFolder, { recursive: true, force: true });
  const copyStore = async () => {
    const kept = mkdtempSync(join(currentTestRun().folder, "nats-kept-"));
    await cp(storeFolder, kept, { recursive: true });
    return kept;
  };
  const resume = () => signalAll([nats.pid], "SIGCONT");
  return {
    url: nats.url,
    urlOf: nats.urlOf,
    configurationFile: nats.configurationFile,
    port,
    wipe,
    kill: async () => {
      signalAll([nats.pid], "SIGKILL");
      await nats.stop();
    },
    start: async () => {
      nats = await startTestNats({ storeFolder, port, users });
    },
    backUpStore: async () => {
      const kept = await copyStore();
      return async () => {
        await wipe();
        await cp(kept, storeFolder, { recursive: true });
      };
    },
    backUpMessages: async () => {
      const kept = await copyStore();
      const folders = globSync("**/msgs", { cwd: kept });
      return async () => {
        for (const folder of folders) {
          await rm(join(storeFolder, folder), { recursive: true });
          await cp(join(kept, folder), join(storeFolder, folder), { recursive: true });
        }
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
