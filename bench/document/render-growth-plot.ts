import type { Figure } from "../harness/figures.ts";

const [WIDTH, LABELS, ROW, TOP] = [860, 380, 16, 40];
/** The colours of the sizes, from the smallest to the largest. */
const COLOURS = ["#93c5fd", "#2563eb", "#1e3a8a"];
const RIGHT = 30;
/** The marks of the axis in milliseconds. */
const MARKS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/**
 * Draws a row for each request: a dot for its latency at each size, on a logarithmic axis. Dots in one place are flat.
 */
export function renderGrowthPlot(title: string, figures: readonly Figure[]): string {
  const latencies = figures.filter(({ unit }) => unit === "ms, p50");
  const requests = [...new Set(latencies.map(({ what }) => what))];
  const marks = marksAround(latencies.map(({ median }) => median));
  const [min, max] = [Math.log(marks.at(0) ?? 1), Math.log(marks.at(-1) ?? 10)];
  const x = (ms: number) => round(LABELS + ((Math.log(ms) - min) / (max - min)) * (WIDTH - LABELS - RIGHT));
  const height = TOP + requests.length * ROW + ROW;
  const axis = marks.map(
    (ms) =>
      `<path d="M${x(ms)} ${TOP - 8}V${height - ROW}" stroke="#e5e7eb"/>` +
      `<text x="${x(ms)}" y="${TOP - 14}" text-anchor="middle">${ms} ms</text>`,
  );
  const rows = requests.map((what, index) => {
    const sizes = latencies.filter((figure) => figure.what === what);
    const places = sizes.map(({ median }) => x(median));
    const y = TOP + index * ROW + ROW / 2;
    const dots = sizes.map(
      ({ side }, size) =>
        `<circle cx="${places[size]}" cy="${y}" r="4" fill="${colourOf(size, sizes.length)}"><title>${side}</title></circle>`,
    );
    return [
      `<text x="${LABELS - 12}" y="${y + 4}" text-anchor="end">${what}</text>`,
      `<path d="M${Math.min(...places)} ${y}H${Math.max(...places)}" stroke="#9ca3af"/>`,
      ...dots,
    ].join("");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<title>${title}: median latency of a request at each size, the largest in the darkest colour</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...axis,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

/** Returns the marks that the values lie between. */
function marksAround(values: readonly number[]): number[] {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const first = MARKS.findLastIndex((mark) => mark <= min);
  const last = MARKS.findIndex((mark) => mark >= max);
  return MARKS.slice(Math.max(first, 0), last === -1 ? undefined : last + 1);
}

const colourOf = (size: number, sizes: number) => (size === sizes - 1 ? COLOURS[2] : COLOURS[size]);

const round = (value: number) => Math.round(value * 10) / 10;
