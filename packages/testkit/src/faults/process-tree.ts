import { readdirSync, readFileSync } from "node:fs";

/** Returns a process and all its descendants, from /proc; only the process itself if there is no /proc. */
export function processTree(root: number): number[] {
  const parents = new Map(readPids().map((pid) => [pid, parentOf(pid)]));
  const tree = [root];
  for (const member of tree) {
    for (const [pid, parent] of parents) if (parent === member) tree.push(pid);
  }
  return tree;
}

/** Sends a signal to all processes, skipping the ones that have exited. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has exited.
    }
  }
}

function readPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

// The second field, the name in parentheses, may contain anything; the parent is the second one after it.
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
