import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { LocalServerError } from "@cloud/local-servers";

/**
 * Prevents a second `npm start` on the same folder, even one at the same moment. Returns the function that releases the
 * lock, which also works while the process exits. A lock whose owner was killed does not count.
 *
 * @throws LocalServerError FOLDER_IN_USE
 */
export function acquireLocalLock(file: string): () => void {
  const mine = identityOf(process.pid) ?? "";
  const written = `${file}.${process.pid}`;
  writeFileSync(written, mine);
  try {
    assertDead(ownerOf(file));
    if (!tryLink(written, file)) takeFromDead(file, written); // protects: free-lock
  } finally {
    rmSync(written, { force: true });
  }
  return () => {
    if (ownerOf(file) === mine) rmSync(file, { force: true });
  };
}

/**
 * Creates a lock as a link: atomically and by one process only, so that no other start reads a partial lock. Returns
 * whether it was created.
 */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Takes the lock of a dead start. Serialized between starts, because another may have replaced the lock since it was
 * read.
 */
function takeFromDead(file: string, written: string): void {
  const turn = `${file}.takeover`;
  const before = ownerOf(turn); // protects: takeover-turns
  if (before !== undefined && !isOwnerAlive(before)) rmSync(turn, { force: true }); // killed within these few lines
  if (!tryLink(written, turn)) throw inUse(ownerOf(turn));
  try {
    assertDead(ownerOf(file));
    rmSync(file, { force: true });
    if (!tryLink(written, file)) throw inUse(ownerOf(file));
  } finally {
    rmSync(turn, { force: true });
  }
}

function assertDead(owner: string | undefined): void {
  if (isOwnerAlive(owner)) throw inUse(owner);
}

function inUse(owner = "unknown"): LocalServerError {
  const message = `npm start is running already, as process ${owner.split(" ")[0]}: stop that one first.`;
  return new LocalServerError("FOLDER_IN_USE", message);
}

const isOwnerAlive = (owner: string | undefined): boolean =>
  owner !== undefined && owner === identityOf(Number.parseInt(owner, 10));

function ownerOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns process id and start time, because a process id alone is reused. */
function identityOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return undefined;
  }
  try {
    // The 22nd field of /proc/<pid>/stat; the second, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return `${pid} ${fields[19]}`;
  } catch {
    return `${pid} ?`; // no /proc: not Linux
  }
}
