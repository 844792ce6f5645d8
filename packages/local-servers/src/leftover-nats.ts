import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { folderInUse, waitUntilExited } from "./leftover-server.ts";
import { runningProcesses } from "./running-processes.ts";

/** The arguments of every nats-server started by `startNats`; `storeFolder` is a real path. */
export const natsArguments = (port: string, storeFolder: string): string[] => [
  "--addr",
  "127.0.0.1",
  "--port",
  port,
  "--jetstream",
  "--store_dir",
  storeFolder,
  "--config",
  configurationOf(storeFolder),
];

/** Contains the passwords of the server's users. */
export const configurationOf = (storeFolder: string): string => join(storeFolder, "nats.conf");

/** Returns the process id of the nats-server that any process has started on this folder by `startNats`. */
export function natsServerOf(storeFolder: string): number | undefined {
  if (!existsSync(storeFolder)) return undefined;
  const folder = realpathSync(storeFolder);
  const isOurs = (args: readonly string[]) => args.join("\0") === natsArguments(args[3] ?? "", folder).join("\0");
  return runningProcesses().find(({ argv: [, ...args] }) => isOurs(args))?.pid;
}

/**
 * Waits up to `deadlineMs` milliseconds for an earlier nats-server of the folder that is still shutting down: two on
 * one store would overwrite each other's data. @throws LocalServerError FOLDER_IN_USE
 */
export async function waitForLeftoverNats(storeFolder: string, deadlineMs: number): Promise<void> {
  const running = await waitUntilExited(() => natsServerOf(storeFolder), deadlineMs);
  if (running !== undefined) throw folderInUse("nats-server", storeFolder, running);
}
