import type { Frame, Stacks } from "./fold-stacks.ts";

const [WIDTH, ROW, TOP, LETTER] = [1_200, 16, 28, 6.2];
/** The least share of the width that is drawn: about two pixels. */
const LEAST = 0.002;
const COLOURS = ["#fca5a5", "#fdba74", "#fde047", "#bef264", "#86efac", "#67e8f9", "#93c5fd", "#c4b5fd", "#f0abfc"];

/**
 * Draws a flame graph: each function is as wide as its share of the processor time, below the one that called it; the
 * colour is that of its package.
 */
export function renderFlameGraph(title: string, { root }: Stacks): string {
  const drawn: string[] = [];
  const groups: string[] = [];
  let depth = 0;
  const draw = (frame: Frame, x: number, level: number) => {
    const width = (WIDTH * frame.ms) / root.ms;
    if (width < WIDTH * LEAST) return;
    depth = Math.max(depth, level + 1);
    if (!groups.includes(frame.group)) groups.push(frame.group);
    const colour = COLOURS[groups.indexOf(frame.group) % COLOURS.length];
    const share = `${((100 * frame.ms) / root.ms).toFixed(1)} %`;
    const letters = Math.floor((width - 4) / LETTER);
    const label =
      letters < 3
        ? ""
        : `<text x="${round(x + 2)}" y="${level * ROW + 12}">${escaped(frame.name.slice(0, letters))}</text>`;
    drawn.push(
      `<g><title>${escaped(`${frame.name}, ${frame.group}: ${share}`)}</title>` +
        `<rect x="${round(x)}" y="${level * ROW}" width="${round(width)}" height="${ROW - 1}" fill="${colour}"/>${label}</g>`,
    );
    let from = x;
    for (const child of [...frame.children.values()].sort((a, b) => b.ms - a.ms)) {
      draw(child, from, level + 1);
      from += (WIDTH * child.ms) / root.ms;
    }
  };
  draw(root, 0, 0);
  const height = TOP + depth * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<title>${escaped(title)}: where the processor time goes</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="4" y="18" font-size="13">${escaped(title)}: ${Math.round(root.ms)} ms of processor time; each function stands below the one that calls it</text>`,
    `<g transform="translate(0 ${TOP})">`,
    ...drawn,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

const round = (value: number) => Math.round(value * 10) / 10;

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
