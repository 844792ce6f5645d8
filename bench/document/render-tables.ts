import type { Figure } from "../harness/figures.ts";
import { plotOf } from "../profile/plot-of.ts";
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
export function renderFigures({ machine, older, figures }: KeptFigures): string {
  const of = (part: string) => figures.filter((figure) => figure.part === part);
  const sections = [
    ...Object.entries(COMPARED).map(([part, title]) => [part, title, renderCompared(of(part))] as const),
    ...Object.entries(OTHERS).map(([part, title]) => [part, title, renderList(of(part))] as const),
    ["growth", "Growth", renderGrowth(of("growth"))] as const,
    ["watch", "Watches", renderList(of("watch"))] as const,
    ["profile", "Where the processor time goes", renderProfiles(of("profile"))] as const,
  ];
  const rendered = sections
    .filter(([part]) => of(part).length > 0)
    .flatMap(([part, title, tables]) => [
      `### ${title}`,
      ...(part in COMPARED || part === "growth" ? [`![${title}](performance/${part}.svg)`] : []),
      renderCircumstances(of(part), older.includes(part)),
      tables,
    ]);
  return [`The machine: ${machine}.`, ...rendered].join("\n\n");
}

/** Renders when the figures of a part were taken, and at which commit. */
function renderCircumstances(figures: readonly Figure[], isOlder: boolean): string {
  const taken = distinct(figures.map(({ at, commit }) => `${at.slice(0, 10)} at commit \`${commit}\``));
  const load = Math.max(...figures.map(({ machineLoad }) => machineLoad)).toFixed(1);
  const cores = distinct(figures.flatMap(({ coreMs }) => (coreMs === undefined ? [] : String(coreMs))));
  const speed = cores.length === 0 ? "" : `, SHA-512 in ${cores.join(" and ")} ms`;
  const warning = isOlder ? " **The code has changed since.**" : "";
  return `Measured on ${taken.join(" and ")}, begun at a load average of ${load} at most${speed}.${warning}`;
}

/** Renders the flame graph of each program and request, and the shares of its packages. */
function renderProfiles(figures: readonly Figure[]): string {
  return distinct(figures.map(({ what }) => what))
    .flatMap((what) => {
      const rows = figures.filter((figure) => figure.what === what);
      const shares = rows.map(({ program, median }) => `${program} ${median} %`).join(", ");
      return [`![${what}](performance/${plotOf(what)})`, `${what}, by themselves: ${shares}.`];
    })
    .join("\n\n");
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
  const others = figures.filter(({ unit }) => !["µs of CPU per request", "ratio"].includes(unit));
  const tables = [table(["Request", "Contestant", "CPU, µs", "cloud / it", ...programs], rows)];
  return [...tables, ...(others.length > 0 ? [renderList(others)] : [])].join("\n\n");
}

function renderList(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, side, program } = figure;
    const names = [what.includes(side) || side === "cloud" ? "" : side, program === "all" ? "" : program];
    return [what, names.filter((name) => name !== "").join(": ") || side, spread(figure), figure.unit];
  });
  return table(["What", "Of", "Median", "Unit"], rows);
}

const distinct = (values: readonly string[]) => [...new Set(values)];
