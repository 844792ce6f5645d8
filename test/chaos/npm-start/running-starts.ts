import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Demo } from "@cloud/local-stack";
import { mainProcessOf, processesOf } from "@cloud/local-stack/npm-start";
import { waitFor } from "@cloud/testkit";

/** Stops everything that a run has left: the process that serves the folder, and with it its servers. */
export async function endAll(folder: string): Promise<void> {
  signal(ownerOf(folder), "SIGTERM");
  await waitFor(() => ownerOf(folder) === undefined || undefined, { deadlineMs: 15_000 }).catch(() => undefined);
  signal(ownerOf(folder), "SIGKILL");
  for (const line of processesOf(folder)) signal(Number.parseInt(line, 10), "SIGKILL");
  await untilStopped(folder, 10_000);
}

/** Waits until no process of the folder runs, as a stop must achieve. */
export async function untilStopped(folder: string, deadlineMs: number): Promise<void> {
  const isStopped = () => ownerOf(folder) === undefined && processesOf(folder).length === 0;
  await waitFor(() => isStopped() || undefined, { deadlineMs });
}

export const readDemo = (folder: string): Demo => JSON.parse(readFileSync(join(folder, "demo.json"), "utf8")) as Demo;

/** Returns the process id of `npm start` in this folder, while it runs. */
function ownerOf(folder: string): number | undefined {
  try {
    const pid = mainProcessOf(folder);
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

function signal(pid: number | undefined, sent: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, sent);
  } catch {
    // It has exited.
  }
}
