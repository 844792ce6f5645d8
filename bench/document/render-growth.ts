import type { Figure } from "../harness/figures.ts";
import { spread, table } from "./table.ts";

/**
 * Renders a row per request: its latency at each size with the ratio to the smallest, and the time of its statements.
 */
export function renderGrowth(figures: readonly Figure[]): string {
  const latencies = figures.filter(({ unit }) => unit === "ms, p50");
  const rows = latencies.map(({ what, side, median, lower, upper, rounds }) => {
    const of = (unit: string, isOf: (figure: Figure) => boolean) => {
      const figure = figures.find((one) => one.what === what && one.unit === unit && isOf(one));
      return figure === undefined ? "" : spread(figure);
    };
    const ratio = of("ratio", (one) => one.side.startsWith(`${side} / `));
    const statements = of("ms of statements", (one) => one.side === side);
    return [what, side, spread({ median, lower, upper, rounds }), ratio, statements];
  });
  const compared = new Set(latencies.map(({ what }) => what));
  const others = figures
    .filter(({ what }) => !compared.has(what))
    .map((figure) => [figure.what, ofWhat(figure), spread(figure), figure.unit]);
  return [
    table(["Request", "Size", "p50, ms", "To the smallest", "Statements, ms"], rows),
    table(["What", "Of", "Median", "Unit"], others),
  ].join("\n\n");
}

const ofWhat = ({ side, program }: Figure) =>
  [side, program].filter((name) => !["all", "cloud", "postgres"].includes(name)).join(", ");
