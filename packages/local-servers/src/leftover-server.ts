import { setTimeout as delay } from "node:timers/promises";
import { LocalServerError } from "./local-server-error.ts";
import { signalProcess } from "./running-processes.ts";

export interface Leftover {
  /** For messages: Postgres, nats-server. */
  name: string;
  folder: string;
  /** Returns the process id while it runs; only of a process that is certainly this server. */
  find: () => number | undefined;
  /** Requests an orderly shutdown. */
  signal: NodeJS.Signals;
  /** Receives one line when there is a server to stop. */
  log: (line: string) => void;
}

/**
 * Stops a server that a killed start has left behind, by SIGKILL after 10 seconds. Only for the owner of the folder:
 * the server of another live program would be stopped as well. @throws LocalServerError FOLDER_IN_USE if it still runs
 * then
 */
export async function stopLeftover({ name, folder, find, signal, log }: Leftover): Promise<void> {
  const pid = find();
  if (pid === undefined) return;
  log(`an earlier start left ${name} running (process ${pid}): stopping it`);
  signalProcess(pid, signal);
  if ((await waitUntilExited(find, 10_000)) === undefined) return;
  signalProcess(pid, "SIGKILL");
  if ((await waitUntilExited(find, 5_000)) !== undefined) throw folderInUse(name, folder, pid);
}

/** Returns the process id that `find` still returns after `deadlineMs` milliseconds. */
export async function waitUntilExited(find: () => number | undefined, deadlineMs: number): Promise<number | undefined> {
  const deadline = AbortSignal.timeout(deadlineMs);
  for (;;) {
    const pid = find();
    if (pid === undefined || deadline.aborted) return pid;
    await delay(50); // scanning /proc takes milliseconds
  }
}

export function folderInUse(name: string, folder: string, pid: number): LocalServerError {
  const message = `The folder ${folder} is in use by a running ${name}, process ${pid}: stop it first.`;
  return new LocalServerError("FOLDER_IN_USE", message);
}
