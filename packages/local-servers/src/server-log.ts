import { closeSync, openSync, readFileSync, renameSync, statSync } from "node:fs";

export interface ServerLog {
  /** For the server's output; must be closed once the server has inherited it. */
  readonly fd: number;
  close(): void;
  /** Returns the output of this life of the server. */
  written(): string;
  /** Returns the line of this life that describes the fault, for an error message; otherwise the last one. */
  lastLines(): string;
}

const MOST_BYTES = 10 * 1024 * 1024;

/**
 * Opens the log of a server. It is appended to those of earlier runs, which state why these ended. A log of more than
 * 10 MB is renamed to `<file>.1` first.
 */
export function openServerLog(file: string): ServerLog {
  const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size() > MOST_BYTES) renameSync(file, `${file}.1`);
  const begin = size();
  const fd = openSync(file, "a", 0o600);
  const written = () => readFileSync(file).subarray(begin).toString();
  return { fd, close: () => closeSync(fd), written, lastLines: () => faultIn(written()) };
}

function faultIn(text: string): string {
  const lines = text.trim().split("\n");
  const fatal = lines.filter((line) => /FATAL|\[FTL\]|error:|nats-server:/i.test(line));
  return (fatal.at(-1) ?? lines.at(-1) ?? "").replace(/^.*?(FATAL|\[FTL\]):?\s*/, "");
}
