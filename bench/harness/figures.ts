import { appendFileSync, mkdirSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Spread, spreadOf } from "./spread.ts";

/** What a figure is of; together these are its identity. */
export interface FigureName {
  readonly part: string;
  /** What is measured, such as a kind of request. */
  readonly what: string;
  /** Which contestant, such as `cloud` or `monolith`; for a ratio both. */
  readonly side: string;
  /** Which program of it, such as `gateway`; `all` for the sum. */
  readonly program: string;
  readonly unit: string;
}

export interface Figure extends FigureName, Spread {
  readonly at: string;
  readonly small: boolean;
  /** Processes that wanted to run, on average over a minute: more than the cores means that others disturbed. */
  readonly machineLoad: number;
}

/** At the root of the project; ignored by git. */
export const FIGURES = fileURLToPath(new URL("../../reports/bench.jsonl", import.meta.url));

export interface Recorder {
  /** Prints a figure as a line of JSON and appends it to `reports/bench.jsonl`. */
  record(name: FigureName, values: readonly number[]): void;
  /** Prints why something is not measured. */
  skip(line: string): void;
}

export function createRecorder(small: boolean, print: (line: string) => void): Recorder {
  mkdirSync(dirname(FIGURES), { recursive: true });
  return {
    record: (name, values) => {
      const figure: Figure = {
        ...name,
        ...spreadOf(values),
        at: new Date().toISOString(),
        small,
        machineLoad: loadavg()[0] ?? 0,
      };
      const line = JSON.stringify(figure);
      appendFileSync(FIGURES, line + "\n");
      print(line);
    },
    skip: (line) => print(`# ${line}`),
  };
}
