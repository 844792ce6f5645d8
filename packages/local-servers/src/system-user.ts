import { spawnSync } from "node:child_process";
import { chownSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { LocalServerError, type SystemUser } from "./server-process.ts";

/**
 * Returns the user to run Postgres as: undefined (ourselves) unless we are root; otherwise the owner of `folder` if
 * that is an ordinary user (who started it first), otherwise `postgres` or `nobody` of this machine. No account is
 * created. `paths` are the files and folders that the user must reach.
 *
 * @throws LocalServerError if the machine has no such account
 */
export function unprivilegedUser(folder: string, paths: readonly string[]): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ids = ownerOf(folder) ?? accountOf("postgres") ?? accountOf("nobody");
  if (ids === undefined) {
    throw new LocalServerError(
      "START_FAILED",
      "Postgres does not run as root and this machine has no user postgres or nobody: start as an ordinary user.",
    );
  }
  const own = (path: string) => chownSync(path, ids.uid, ids.gid);
  const closed = paths.find((path) => !isReachable(path, ids.uid));
  if (closed === undefined) return { ids, wrap: (command) => [command], own };
  assertSetpriv(closed);
  return { ids: {}, wrap: (command) => [...passClosedFolders(ids.uid, ids.gid), command], own };
}

/**
 * Root's home is closed (0700), so that the other user could not even run the program in it. Only the capability to
 * traverse folders and read files is kept; `no_setuid_fixup` because access(2) ignores capabilities without it.
 */
function passClosedFolders(uid: number, gid: number): string[] {
  const capabilities = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  const user = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--securebits=+no_setuid_fixup"];
  return ["setpriv", ...user, ...capabilities, "--"];
}

function assertSetpriv(closed: string): void {
  if (spawnSync("setpriv", ["--version"]).error === undefined) return;
  const message = `Postgres does not run as root, and no other user may pass into ${closed}`;
  const remedy = "start as an ordinary user, move it to an open folder, or install setpriv (util-linux).";
  throw new LocalServerError("START_FAILED", `${message}: ${remedy}`);
}

function ownerOf(folder: string): { uid: number; gid: number } | undefined {
  const { uid, gid } = statSync(folder, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 };
  return uid === 0 ? undefined : { uid, gid };
}

function accountOf(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function isReachable(path: string, uid: number): boolean {
  const parent = dirname(path);
  if (parent === path) return true;
  const { mode, uid: owner } = statSync(parent);
  return (mode & (owner === uid ? 0o100 : 0o001)) !== 0 && isReachable(parent, uid);
}
