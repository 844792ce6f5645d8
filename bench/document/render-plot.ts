import type { Figure } from "../harness/figures.ts";

const [WIDTH, LABELS, BAR, GAP] = [760, 300, 14, 10];
const COLOURS = ["#2563eb", "#9ca3af", "#b45309", "#0f766e", "#7c3aed"];

/** Draws the sums of processor time per request as bars, by kind of request, with the quartiles as a line. */
export function renderPlot(title: string, figures: readonly Figure[]): string {
  const sums = figures.filter(({ program, unit }) => program === "all" && unit !== "ratio");
  const sides = [...new Set(sums.map(({ side }) => side))];
  const scale = (WIDTH - LABELS - 80) / Math.max(...sums.map(({ upper }) => upper), 1);
  let y = GAP;
  let previous = "";
  const bars = sums.flatMap(({ what, side, median, lower, upper }) => {
    if (what !== previous) y += GAP;
    const label = what === previous ? side : `${what}: ${side}`;
    previous = what;
    const middle = y + BAR / 2;
    const colour = COLOURS[sides.indexOf(side) % COLOURS.length];
    const drawn = [
      `<text x="${LABELS - 8}" y="${middle + 4}" text-anchor="end">${label}</text>`,
      `<rect x="${LABELS}" y="${y}" width="${length(median * scale)}" height="${BAR}" fill="${colour}"/>`,
      `<path d="M${length(LABELS + lower * scale)} ${middle}H${length(LABELS + upper * scale)}" stroke="#111"/>`,
      `<text x="${length(LABELS + upper * scale + 6)}" y="${middle + 4}">${median} µs</text>`,
    ];
    y += BAR + 4;
    return drawn;
  });
  const height = y + GAP;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}: processor time per request</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...bars,
    "</svg>",
    "",
  ].join("\n");
}

const length = (value: number) => Math.round(value * 10) / 10;
