import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { LocalServerError } from "@cloud/local-servers";

/**
 * Keeps a second `npm start` off the same folder. Answers how to give the lock back, which also works while the process
 * exits. A lock whose owner was killed does not count.
 * @throws LocalServerError FOLDER_IN_USE
 */
export function acquireLocalLock(file: string): () => void {
  const owner = ownerOf(file);
  if (owner !== undefined && owner === identityOf(Number.parseInt(owner, 10))) {
    const message = `npm start is running already, as process ${owner.split(" ")[0]}: stop that one first.`;
    throw new LocalServerError("FOLDER_IN_USE", message);
  }
  rmSync(file, { force: true });
  writeFileSync(file, identityOf(process.pid) ?? "", { flag: "wx" });
  return () => rmSync(file, { force: true });
}

function ownerOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Process id and time of start, because a process id alone is given to other processes later. */
function identityOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return undefined;
  }
  try {
    // The 22nd field of /proc/<pid>/stat; the second, in brackets, may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return `${pid} ${fields[19]}`;
  } catch {
    return `${pid} ?`; // no /proc: not Linux
  }
}
