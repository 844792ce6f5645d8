import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "@cloud/local-servers";
import { currentTestRun, noteOpened } from "../test-run.ts";
import { processTree, signalAll } from "./process-tree.ts";
import { takeStablePort } from "./stable-port.ts";

/** A Postgres of one's own that writes to the disk before it confirms, as production's does. */
export interface RestartablePostgres {
  /** Of the superuser. */
  readonly superuserUrl: string;
  readonly port: number;
  /** SIGQUIT: every connection is cut, nothing is written any more; the next start recovers from the log. */
  stopImmediately(): Promise<void>;
  /** SIGKILL, to the server and all its processes. */
  kill(): Promise<void>;
  /** On the same port and data; answers when it takes connections. */
  start(): Promise<void>;
  /** Freezes every process of it: connections stay open and get no answer. */
  pause(): void;
  resume(): void;
  /** Ends it and deletes its data. */
  stop(): Promise<void>;
}

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const folder = mkdtempSync(join(currentTestRun().folder, "postgres-"));
  const port = await takeStablePort();
  const start = () => startPostgres({ folder, port, persistent: true });
  let postgres = await start();
  const noteClosed = noteOpened("postgres", String(port));
  let paused: number[] = [];
  const resume = () => {
    signalAll(paused, "SIGCONT");
    paused = [];
  };
  return {
    superuserUrl: postgres.superuserUrl,
    port,
    stopImmediately: async () => {
      signalAll([postgres.pid], "SIGQUIT");
      await postgres.stop();
    },
    kill: async () => {
      signalAll(processTree(postgres.pid), "SIGKILL");
      await postgres.stop();
    },
    start: async () => {
      postgres = await start();
    },
    pause: () => {
      paused = processTree(postgres.pid);
      signalAll(paused, "SIGSTOP");
    },
    resume,
    stop: async () => {
      resume();
      signalAll([postgres.pid], "SIGQUIT");
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
      noteClosed();
    },
  };
}
