import type { Figure, FigureName } from "../harness/figures.ts";
import { spread, table } from "./table.ts";

/** A bound that a figure keeps: at most or at least so much. The name may leave out what no other figure differs in. */
type Bar = readonly [label: string, name: Partial<FigureName>, keep: "at most" | "at least", bound: number];

const ratio = (part: string, what: string, side: string, program = "all") => ({
  part,
  what,
  side,
  program,
  unit: "ratio",
});
const path = (what: string) => ratio("path", what, "cloud / monolith");
const gateway = (what: string) => ratio("gateway", what, "cloud / grpc-gateway");
const rpc = (what: string, peer: string) => ratio("rpc", what, `cloud / ${peer}`);
const relay = (program: string) => ratio("relay", "backlog of 50000, in turn", "cloud / a plain loop", program);
const effect = (program: string) => ({ part: "relay", program, unit: "effect / write" });
const growth = (what: string) => ratio("growth", what, "1,000,000 / 1,000");
const search = (what: string) => ({ part: "growth", what, side: "1,000,000", unit: "ms, p50" });
const ofGateway = (part: string, what: string) => ({ part, what, side: "cloud", program: "gateway" });

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
  ["the gateway under full load, MB", ofGateway("path", "most resident memory"), "at most", 200],
  ["idle, MB", ofGateway("start", "idle"), "at most", 95],
  [
    "ready, of half of Node importing its modules and 100 ms",
    ofGateway("start", "ready, of half of that and 100 ms"),
    "at most",
    1,
  ],
  ["1,000,000 records, of 1,000: by id", growth("by id"), "at most", 1.3],
  ["create", growth("create"), "at most", 1.3],
  ["assign", growth("assign team"), "at most", 1.3],
  ["first page", growth("first page"), "at most", 1.3],
  ["search at 1,000,000, one of 8, ms", search("search, one of 8"), "at most", 50],
  ["by 2 characters, ms", search("search by 2 characters, one of 8"), "at most", 150],
  ["by 1 character, ms", search("search by 1 character, one of 8"), "at most", 150],
];

/** The most milliseconds of the first page of a list of a workspace with so many links, whichever list is the slowest. */
const LINK_BARS = [
  ["1,000", 30],
  ["10,000", 100],
  ["100,000", 700],
] as const;

/**
 * Renders each bar beside the last figure, which is bold if it does not meet the bar.
 *
 * @throws Error if not exactly one figure has the name that a bar is for
 */
export function renderBars(figures: readonly Figure[]): string {
  const rows = BARS.map(([label, name, keep, bound]) => {
    const named = figures.filter((one) =>
      Object.entries(name).every(([key, value]) => one[key as keyof Figure] === value),
    );
    const [figure] = named;
    if (figure === undefined || named.length > 1) {
      throw new Error(`${named.length} figures of ${Object.values(name).join(", ")}`);
    }
    return renderBar(label, figure, keep, bound);
  });
  const linkRows = LINK_BARS.map(([links, bound]) => {
    const kinds = figures.filter(
      ({ what, side, unit }) => FIRST_PAGE.test(what) && side === links && unit === "ms, p50",
    );
    const [slowest] = kinds.sort((a, b) => b.median - a.median);
    if (slowest === undefined) throw new Error(`no figure of a first page of ${links} links`);
    const list = slowest.what.replace(FIRST_PAGE, "");
    return renderBar(`first page of ${links} links, ${list}, ms`, slowest, "at most", bound);
  });
  return table(["What", "Bar", "Last"], [...rows, ...linkRows]);
}

/** Matches the lists of a workspace: what it has, and what it could still get. */
const FIRST_PAGE = /(?<=, (?:linked|others)): first page$/;

function renderBar(label: string, figure: Figure, keep: "at most" | "at least", bound: number): string[] {
  const isMet = keep === "at most" ? figure.median <= bound : figure.median >= bound;
  return [label, `${keep} ${bound}`, isMet ? spread(figure) : `**${spread(figure)}**`];
}
