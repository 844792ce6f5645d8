import type { Figure } from "../harness/figures.ts";
import type { KeptFigures } from "./kept-figures.ts";
import { renderGrowth } from "./render-growth.ts";
import { spread, table } from "./table.ts";

/** The parts that compare processor time per request, with the title of each. */
export const COMPARED: Readonly<Record<string, string>> = {
  path: "The whole path",
  gateway: "The gateway alone",
  rpc: "A call that does nothing",
};
const OTHERS: Readonly<Record<string, string>> = {
  relay: "Events",
  start: "Start and memory",
  load: "Tail latency and a second replica",
};

/** Renders everything on the page that was measured, in Markdown. */
export function renderFigures({ machine, figures }: KeptFigures): string {
  const dates = figures.map(({ at }) => at.slice(0, 10)).sort();
  const loads = figures.map(({ machineLoad }) => machineLoad);
  const range = `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`;
  const when = `Measured on ${[...new Set([dates.at(0), dates.at(-1)])].join(" to ")} on ${machine}; load average ${range}.`;
  const of = (part: string) => figures.filter((figure) => figure.part === part);
  const compared = Object.entries(COMPARED).flatMap(([part, title]) => [
    `### ${title}`,
    `![${title}](performance/${part}.svg)`,
    renderCompared(of(part)),
  ]);
  const others = Object.entries(OTHERS).flatMap(([part, title]) => [`### ${title}`, renderList(of(part))]);
  const growth = of("growth");
  if (growth.length > 0) others.push("### Growth", "![Growth](performance/growth.svg)", renderGrowth(growth));
  const watch = of("watch");
  if (watch.length > 0) others.push("### Watches", renderList(watch));
  return [when, ...compared, ...others].join("\n\n");
}

/** Renders a row per kind of request and contestant: the sum, its ratio to ours, and each program. */
function renderCompared(figures: readonly Figure[]): string {
  const programs = distinct(figures.map(({ program }) => program)).filter((program) => program !== "all");
  const sums = figures.filter(({ program, unit }) => program === "all" && unit !== "ratio");
  const rows = sums.map((sum) => {
    const ratio = figures.find(({ what, side }) => what === sum.what && side === `cloud / ${sum.side}`);
    const each = programs.map((name) => {
      const one = figures.find(({ what, side, program }) => what === sum.what && side === sum.side && program === name);
      return one === undefined ? "" : String(one.median);
    });
    return [sum.what, sum.side, spread(sum), ratio === undefined ? "" : spread(ratio), ...each];
  });
  return table(["Request", "Contestant", "CPU, µs", "cloud / it", ...programs], rows);
}

function renderList(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const of = figure.program === "all" ? figure.side : figure.program;
    return [figure.what, of, spread(figure), figure.unit];
  });
  return table(["What", "Of", "Median", "Unit"], rows);
}

const distinct = (values: readonly string[]) => [...new Set(values)];
