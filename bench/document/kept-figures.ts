import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { FIGURES, type Figure, type FigureName } from "../harness/figures.ts";
import { digestOf } from "./sources.ts";

/** The figures of the page, in the repository. */
export interface KeptFigures {
  readonly machine: string;
  /** The parts whose sources have changed since their figures were taken. The page says so. */
  readonly older: readonly string[];
  readonly figures: readonly Figure[];
}

export const KEPT = fileURLToPath(new URL("../../docs/performance/figures.json", import.meta.url));

export const readKept = (): KeptFigures => JSON.parse(readFileSync(KEPT, "utf8")) as KeptFigures;

/**
 * Returns the last value of each figure that was measured on this machine or kept before, without figures of the size
 * of CI. All figures of a part describe the sources of its last one.
 */
export function latestFigures(): KeptFigures {
  const lines = existsSync(FIGURES) ? readFileSync(FIGURES, "utf8").trimEnd().split("\n") : [];
  const measured = lines
    .map((line) => JSON.parse(line) as Figure)
    .filter(({ small, part }) => !small && part !== "ablate");
  const all = [...readKept().figures, ...measured];
  const codes = new Map(all.map(({ part, code }) => [part, code]));
  const ofOneCode = all.filter(({ part, code }) => code === codes.get(part));
  const figures = [...new Map(ofOneCode.map((figure) => [identityOf(figure), figure])).values()];
  const model = cpus()[0]?.model ?? "unknown processor";
  const machine = `${cpus().length} × ${model}, Node ${process.version}`;
  return { machine, older: olderParts(figures), figures };
}

/** Returns the parts whose sources differ from the measured ones. */
export function olderParts(figures: readonly Figure[]): string[] {
  const codes = new Map(figures.map(({ part, code }) => [part, code]));
  return [...codes].filter(([part, code]) => code !== digestOf(part)).map(([part]) => part);
}

const identityOf = ({ part, what, side, program, unit }: FigureName) => [part, what, side, program, unit].join("|");
