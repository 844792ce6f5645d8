import { chmodSync, mkdirSync, statSync } from "node:fs";

/** Whether others can list a folder or write into it. */
const OPEN = 0o066;

/**
 * Creates a folder for its user alone, and closes one that others can list or write to, as those of earlier releases. A
 * folder that others can only pass through (0711) stays: root without setpriv opens it to the user that Postgres runs as.
 */
export function closeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & OPEN) !== 0) chmodSync(folder, 0o700);
}
