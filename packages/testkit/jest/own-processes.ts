import { readdirSync, readFileSync } from "node:fs";

/** A process and its command line, as a person reads it. */
export interface OwnProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Returns the processes that belong to a run of tests: they inherited its folder as TMPDIR, or their command line
 * contains the folder. Linux only; elsewhere the list is empty.
 */
export function processesOf(folder: string): OwnProcess[] {
  return describe(({ pid, command }) => command.includes(folder) || environmentOf(pid).includes(`TMPDIR=${folder}`));
}

/** Returns the processes that a process has started, directly or through others. Linux only. */
export function descendantsOf(ancestor: number): OwnProcess[] {
  const parents = new Map(pids().map((pid) => [pid, parentOf(pid)]));
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (parents.get(pid) === ancestor || descends(parents.get(pid)));
  return describe(({ pid }) => descends(pid));
}

export function kill(processes: readonly { readonly pid: number }[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

function describe(isWanted: (candidate: OwnProcess) => boolean): OwnProcess[] {
  const all = pids().map((pid) => ({ pid, command: readFile(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() }));
  // A process without a command line has exited, and waits for its parent.
  return all.filter((candidate) => candidate.command !== "" && candidate.pid !== process.pid && isWanted(candidate));
}

function pids(): number[] {
  return readFolder("/proc").map(Number).filter(Number.isInteger);
}

/** The fourth field of `stat`; the second is the name in parentheses and may contain spaces. */
function parentOf(pid: number): number | undefined {
  const [, ppid] = /\) \S (\d+) /.exec(readFile(`/proc/${pid}/stat`)) ?? [];
  return ppid === undefined ? undefined : Number(ppid);
}

function environmentOf(pid: number): string[] {
  return readFile(`/proc/${pid}/environ`).split("\0");
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty if the process has ended meanwhile, or belongs to another user. */
function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
