import { execFileSync } from "node:child_process";
import { pbkdf2Sync } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Spread, spreadOf } from "./spread.ts";

/** The identity of a figure. */
export interface FigureName {
  readonly part: string;
  /** The measured thing, such as a kind of request. */
  readonly what: string;
  /** The contestant, such as `cloud` or `monolith`; for a ratio both. */
  readonly side: string;
  /** The contestant's program, such as `gateway`; `all` for the sum. */
  readonly program: string;
  readonly unit: string;
}

export interface Figure extends FigureName, Spread {
  readonly at: string;
  readonly small: boolean;
  /** Processes that wanted to run when the part began, on average over a minute. */
  readonly machineLoad: number;
  /** The result of `measureCore` when the part began; absent in figures from before 2026-11-28. */
  readonly coreMs?: number;
  /** The commit of the checkout, abbreviated, with a `+` if files differed from it. */
  readonly commit: string;
  /** The digest of the part's sources; `digestOf` computes it. */
  readonly code: string;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The file of figures; ignored by git. */
export const FIGURES = `${ROOT}reports/bench.jsonl`;

/** The fields that all figures of a part have in common. */
export type Circumstances = Pick<Figure, "small" | "machineLoad" | "coreMs" | "commit" | "code">;

export interface Recorder {
  /** Prints a figure as a line of JSON and appends it to `reports/bench.jsonl`. */
  record(name: FigureName, values: readonly number[]): void;
  /** Prints why something is not measured. */
  skip(line: string): void;
}

export function createRecorder(circumstances: Circumstances, print: (line: string) => void): Recorder {
  mkdirSync(dirname(FIGURES), { recursive: true });
  return {
    record: (name, values) => {
      const figure: Figure = { ...name, ...spreadOf(values), at: new Date().toISOString(), ...circumstances };
      const line = JSON.stringify(figure);
      appendFileSync(FIGURES, line + "\n");
      print(line);
    },
    skip: (line) => print(`# ${line}`),
  };
}

/** Returns the load average of the last minute. */
export const machineLoad = (): number => loadavg()[0] ?? 0;

/**
 * Returns the milliseconds that a core takes for 100,000 rounds of SHA-512, the fastest of three times. Other guests of the
 * machine's host slow it down, which its load average does not show.
 */
export function measureCore(): number {
  const times = [1, 2, 3].map(() => {
    const began = performance.now();
    pbkdf2Sync("", "", 100_000, 64, "sha512");
    return performance.now() - began;
  });
  return Math.round(Math.min(...times));
}

/** Returns the commit of the checkout, with a `+` if files differ from it. */
export function currentCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  return (
    git("rev-parse", "--short=8", "HEAD") + (git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+")
  );
}
