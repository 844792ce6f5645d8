import { classify, ROUTES, type Route } from "./classify.ts";
import { readStatements, type Statement } from "./read-statements.ts";
import { readTables } from "./tables.ts";

const PLACES = [
  "services/identity",
  "services/environment",
  "services/workspace",
  "packages/service",
  "packages/events",
];

const HEAD = `# Which statements name their organization

Rendered from the sources by \`UPDATE_DOCS=1 npm test -- docs/test/statements\`. [scaling.md](scaling.md) describes what follows
for shards. A statement is counted by its conditions, an insert by its columns. The statements of
\`packages/service\` with the name of a table as a parameter serve every record.
`;

/**
 * Returns the page: the number of statements by place and route, and the files whose statements would need a change.
 */
export function renderStatements(): string {
  const tables = readTables();
  const routed = readStatements().map((statement) => ({ ...statement, route: classify(statement, tables) }));
  const routes = Object.keys(ROUTES) as Route[];
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const count = (place: string, route: Route) =>
    routed.filter((one) => one.route === route && one.file.startsWith(place)).length;
  const lines = routes.map((route) =>
    row([ROUTES[route], ...PLACES.map((place) => count(place, route)), count("", route)]),
  );
  const head = ["Statement", ...PLACES.map((place) => `\`${place}\``), "all"];
  return [
    HEAD,
    row(head),
    row(head.map(() => "---")),
    ...lines,
    ...(["workspace", "id", "all"] as const).flatMap((route) => section(route, routed)),
    "",
  ].join("\n");
}

function section(route: Route, routed: readonly (Statement & { readonly route: Route })[]): string[] {
  const files = Object.groupBy(
    routed.filter((one) => one.route === route),
    ({ file }) => file,
  );
  const names = Object.entries(files).map(([file, list = []]) => `- \`${file}\`: ${list.length}`);
  return ["", `## ${upper(ROUTES[route])}`, "", ...names];
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
