import { readFileSync } from "node:fs";

/**
 * The parent, read when this file is loaded, which start.js does first: the rest takes a second, in which npm may exit.
 */
const PARENT = process.ppid;
const LOOK_MS = 500;

/**
 * Calls `onExit` once when the npm that runs this process as its `start` script has exited. npm forwards SIGINT and
 * SIGTERM, but SIGHUP and SIGKILL end npm alone. Does nothing in a process that npm has not started.
 */
export function watchNpm(onExit: () => void): void {
  if (process.env["npm_lifecycle_event"] !== "start") return;
  const wasOrphan = adoptsOrphans(PARENT);
  const look = setInterval(() => {
    if (process.ppid === PARENT && !wasOrphan) return;
    clearInterval(look);
    onExit();
  }, LOOK_MS).unref();
}

/**
 * Returns whether a process is the first of the system or of a session; in a container the first one may be npm itself.
 */
function adoptsOrphans(pid: number): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return (pid === 1 || /^\S*systemd\0/.test(command)) && !command.includes("npm");
  } catch {
    return pid === 1; // no /proc: not Linux
  }
}
