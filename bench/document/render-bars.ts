import type { Figure, FigureName } from "../harness/figures.ts";
import { spread, table } from "./table.ts";

/** A figure, and what it must keep: at most or at least so much. */
type Bar = readonly [label: string, figure: FigureName, keep: "at most" | "at least", bound: number];

const ratio = (part: string, what: string, peer: string): FigureName => ({
  part,
  what,
  side: `cloud / ${peer}`,
  program: "all",
  unit: "ratio",
});
const path = (what: string) => ratio("path", what, "monolith");
const gateway = (what: string) => ratio("gateway", what, "grpc-gateway");
const rpc = (what: string, peer: string) => ratio("rpc", what, peer);
const relay = (program: string): FigureName => ({
  ...ratio("relay", "backlog of 50000, in turn", "a plain loop"),
  program,
});
const effect = (program: string): FigureName => ({
  part: "relay",
  what: "effect at 20 events/s",
  side: "cloud",
  program,
  unit: "effect / write",
});
const ofGateway = (part: string, what: string, unit: string): FigureName => ({
  part,
  what,
  side: "cloud",
  program: "gateway",
  unit,
});
const growth = (what: string): FigureName => ({
  part: "growth",
  what,
  side: "1,000,000 / 1,000",
  program: "all",
  unit: "ratio",
});
const latency = (what: string, side: string): FigureName => ({
  part: "growth",
  what,
  side,
  program: "all",
  unit: "ms, p50",
});

const BARS: readonly Bar[] = [
  ["the whole path, of the monolith: GET one", path("GET one"), "at most", 2.5],
  ["list of 25", path("list of 25"), "at most", 2.2],
  ["environments of a workspace", path("environments of a workspace"), "at most", 3],
  ["create", path("create"), "at most", 2.5],
  ["assign", path("assign team"), "at most", 3],
  ["remove", path("remove team"), "at most", 2.6],
  ["the gateway alone, of grpc-gateway: GET one", gateway("GET one"), "at most", 1.2],
  ["list of 25", gateway("list of 25"), "at most", 0.3],
  ["from program to program, of grpc-js", rpc("from program to program", "grpc-js"), "at most", 0.9],
  ["Connect unary, of connect-node", rpc("Connect unary from an HTTP client", "connect-node"), "at most", 0.7],
  ["gRPC unary from outside, of grpc-js", rpc("gRPC unary from outside", "grpc-js"), "at most", 3],
  ["a backlog of events, of plain loops: published", relay("published"), "at least", 0.5],
  ["applied", relay("applied"), "at least", 0.4],
  ["an effect, of the write itself: p50", effect("p50"), "at most", 2],
  ["p99", effect("p99"), "at most", 5],
  ["the gateway under full load, MB", ofGateway("path", "most resident memory", "MB"), "at most", 200],
  ["idle, MB", ofGateway("start", "idle", "MB"), "at most", 95],
  [
    "ready, of half of Node importing its modules and 100 ms",
    ofGateway("start", "ready, of half of that and 100 ms", "ratio"),
    "at most",
    1,
  ],
  ["1,000,000 records, of 1,000: by id", growth("by id"), "at most", 1.3],
  ["create", growth("create"), "at most", 1.3],
  ["assign", growth("assign team"), "at most", 1.3],
  ["first page", growth("first page"), "at most", 1.3],
  ["search at 1,000,000, one of 8, ms", latency("search, one of 8", "1,000,000"), "at most", 50],
  ["by 2 characters, ms", latency("search by 2 characters, one of 8", "1,000,000"), "at most", 150],
  ["by 1 character, ms", latency("search by 1 character, one of 8", "1,000,000"), "at most", 150],
  ["first page of 1,000 links, designs, ms", latency("designs, others: first page", "1,000"), "at most", 30],
  ["of 10,000 links, environments, ms", latency("environments, others: first page", "10,000"), "at most", 100],
  ["of 100,000 links, environments, ms", latency("environments, others: first page", "100,000"), "at most", 700],
];

/**
 * Renders each bar beside the last figure, which is bold if it does not meet the bar.
 *
 * @throws Error if no figure has the name that a bar is for
 */
export function renderBars(figures: readonly Figure[]): string {
  const rows = BARS.map(([label, name, keep, bound]) => {
    const figure = figures.find((one) =>
      Object.entries(name).every(([key, value]) => one[key as keyof Figure] === value),
    );
    if (figure === undefined) throw new Error(`no figure of ${Object.values(name).join(", ")}`);
    const isMet = keep === "at most" ? figure.median <= bound : figure.median >= bound;
    return [label, `${keep} ${bound}`, isMet ? spread(figure) : `**${spread(figure)}**`];
  });
  return table(["What", "Bar", "Last"], rows);
}
