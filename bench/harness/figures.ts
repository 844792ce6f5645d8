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
  /** Processes that wanted to run, on average over a minute: more than the cores means that others disturbed. */
  readonly machineLoad: number;
}

/** The file of figures at the root of the project; ignored by git. */
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
