import { existsSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { FIGURES, type Figure, type FigureName } from "../harness/figures.ts";

/** The figures of the page, in the repository. */
export interface KeptFigures {
  readonly machine: string;
  readonly figures: readonly Figure[];
}

export const KEPT = fileURLToPath(new URL("../../docs/performance/figures.json", import.meta.url));

export const readKept = (): KeptFigures => JSON.parse(readFileSync(KEPT, "utf8")) as KeptFigures;

/** Returns the last value of each figure that was measured on this machine, without figures of the size of CI. */
export function latestFigures(): KeptFigures {
  const lines = existsSync(FIGURES) ? readFileSync(FIGURES, "utf8").trimEnd().split("\n") : [];
  const figures = lines.map((line) => JSON.parse(line) as Figure).filter(({ small }) => !small);
  const latest = new Map(figures.map((figure) => [identityOf(figure), figure]));
  const model = cpus()[0]?.model ?? "unknown processor";
  return { machine: `${cpus().length} × ${model}, Node ${process.version}`, figures: [...latest.values()] };
}

const identityOf = ({ part, what, side, program, unit }: FigureName) => [part, what, side, program, unit].join("|");
