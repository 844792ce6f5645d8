import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** Lets processes run on the first `cores` cores only, with all their threads; those that they start later, too. */
export async function confine(pids: Iterable<number>, cores: number): Promise<void> {
  for (const pid of pids) {
    const taskset = ["--all-tasks", "--pid", "--cpu-list", `0-${cores - 1}`, String(pid)];
    // One that has ended in the meantime, such as a backend of Postgres, needs no core.
    await promisify(execFile)("taskset", taskset).catch((error: unknown) => {
      if (isRunning(pid)) throw error;
    });
  }
}

/** Returns this process and all that it has started, directly or not, and that still run. */
export function ownProcesses(): Set<number> {
  const parents = new Map(
    readdirSync("/proc")
      .filter(isPid)
      .map((pid) => [Number(pid), parentOf(pid)]),
  );
  const own = new Set([process.pid]);
  // A process is listed after its parent, or found in the next pass.
  for (let size = 0; size < own.size; ) {
    size = own.size;
    for (const [pid, parent] of parents) if (parent !== undefined && own.has(parent)) own.add(pid);
  }
  return own;
}

const isPid = (name: string) => /^\d+$/.test(name);

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined; // it has ended
  }
}

function isRunning(pid: number): boolean {
  return parentOf(String(pid)) !== undefined;
}
