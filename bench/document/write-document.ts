import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { KEPT, type KeptFigures, latestFigures } from "./kept-figures.ts";
import { renderBars } from "./render-bars.ts";
import { renderDeployments } from "./render-deployments.ts";
import { renderGrowthPlot } from "./render-growth-plot.ts";
import { renderPlot } from "./render-plot.ts";
import { COMPARED, renderFigures } from "./render-tables.ts";

const PAGE = fileURLToPath(new URL("../../docs/performance.md", import.meta.url));
const SCALING = fileURLToPath(new URL("../../docs/scaling.md", import.meta.url));

/** Returns the contents of each file of the page by its path; the text around the figures stays. */
export function renderDocument(kept: KeptFigures): Map<string, string> {
  const page = withRendered(readFileSync(PAGE, "utf8"), "bars", renderBars(kept.figures));
  const scaling = readFileSync(SCALING, "utf8");
  const files = new Map([
    [PAGE, withRendered(page, "figures", renderFigures(kept))],
    [SCALING, withRendered(scaling, "deployments", renderDeployments(kept.figures))],
  ]);
  for (const [part, title] of Object.entries(COMPARED)) {
    const figures = kept.figures.filter((figure) => figure.part === part);
    files.set(`${dirname(KEPT)}/${part}.svg`, renderPlot(title, figures));
  }
  const growth = kept.figures.filter(({ part }) => part === "growth");
  if (growth.length > 0) files.set(`${dirname(KEPT)}/growth.svg`, renderGrowthPlot("Growth", growth));
  return files;
}

/** Returns the page with another text between its marks. */
function withRendered(page: string, name: string, rendered: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  return `${page.split(begin)[0]}${begin}\n\n${rendered}\n\n${end}${page.split(end)[1]}`;
}

/** Keeps the last figures of `reports/bench.jsonl` in the repository, and renders the page with them. */
export function writeDocument(): void {
  const kept = latestFigures();
  mkdirSync(dirname(KEPT), { recursive: true });
  const lines = kept.figures.map((figure) => `    ${JSON.stringify(figure)}`).join(",\n");
  const head = `  "machine": ${JSON.stringify(kept.machine)},\n  "older": ${JSON.stringify(kept.older)},`;
  writeFileSync(KEPT, `{\n${head}\n  "figures": [\n${lines}\n  ]\n}\n`);
  for (const [path, content] of renderDocument(kept)) writeFileSync(path, content);
}
