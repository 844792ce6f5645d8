import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

/** Lets processes run on the first `cores` cores only, with all their threads; processes that they start later, too. */
export async function confine(pids: Iterable<number>, cores: number): Promise<void> {
  for (const pid of pids) {
    const taskset = ["--all-tasks", "--pid", "--cpu-list", `0-${cores - 1}`, String(pid)];
    // A process that has ended in the meantime, such as a backend of Postgres, needs no core.
    await promisify(execFile)("taskset", taskset).catch((error: unknown) => {
      if (existsSync(`/proc/${pid}`)) throw error;
    });
  }
}
