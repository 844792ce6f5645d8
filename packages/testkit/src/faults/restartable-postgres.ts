import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres, takeStablePort } from "@cloud/local-servers";
import { currentTestRun, noteOpened } from "../test-servers.ts";
import { processTree, signalAll } from "./process-tree.ts";

/** Settings of a server by name, such as `archive_mode`. */
type PostgresSettings = Readonly<Record<string, string>>;

/** A separate Postgres that writes to the disk before it confirms, as in production. */
export interface RestartablePostgres {
  /** The URL of the superuser. */
  readonly superuserUrl: string;
  readonly port: number;
  /** SIGQUIT: every connection is dropped and nothing is flushed; the next start recovers from the WAL. */
  stopImmediately(): Promise<void>;
  /** SIGKILL, to the server and all its processes. */
  kill(): Promise<void>;
  /**
   * Starts on the same port and data, with additional settings for this start. Resolves when it accepts connections.
   */
  start(further?: PostgresSettings): Promise<void>;
  /** Freezes all its processes: connections stay open and get no response. */
  pause(): void;
  resume(): void;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

interface RestartableOptions {
  /** Contains the cluster and its log; by default a new one in the folder of the test run. Deleted by `stop`. */
  readonly folder?: string;
  /** Applied at every start. */
  readonly settings?: PostgresSettings;
}

export async function startRestartablePostgres(options: RestartableOptions = {}): Promise<RestartablePostgres> {
  const { folder = mkdtempSync(join(currentTestRun().folder, "postgres-")), settings = {} } = options;
  const port = await takeStablePort();
  const start = (further: PostgresSettings = {}) =>
    startPostgres({ folder, port, persistent: true, settings: { ...settings, ...further } });
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
    start: async (further) => {
      postgres = await start(further);
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
