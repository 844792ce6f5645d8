import type { Row } from "./specification-rows.ts";

/** A case that proves rows, by its file and name. */
export interface Proof {
  readonly file: string;
  readonly name: string;
  readonly proves: readonly string[];
}

/** The rows that no request can prove, with the reason. */
export type Excuses = Readonly<Record<string, string>>;

/** Returns the faults of the coverage, one line each; none when every row has either a case or an excuse. */
export function findGaps(rows: readonly Row[], proofs: readonly Proof[], excuses: Excuses): string[] {
  const known = new Set(rows.map(({ row }) => row));
  const proved = new Set(proofs.flatMap(({ proves }) => proves));
  const excused = new Set(Object.keys(excuses));
  const unknown = proofs.flatMap(({ file, name, proves }) =>
    proves.filter((row) => !known.has(row)).map((row) => `${file} › ${name} proves ${row}, which is no row`),
  );
  return [
    ...rows
      .filter(({ row }) => !proved.has(row) && !excused.has(row))
      .map(({ row, text }) => `${row} has no case: ${text}`),
    ...unknown,
    ...[...excused].filter((row) => !known.has(row)).map((row) => `${row} is excused and is no row`),
    ...[...excused].filter((row) => proved.has(row)).map((row) => `${row} is excused and has a case all the same`),
  ];
}

const HEAD = `# Specification coverage

The specification, row by row, with the [cases](../test/cases) that prove it on a running system, each by REST and by
RPC. Rows are numbered within their section: table rows and list items in order. A row without a case
[states the reason](../test/cases/specification/rows-without-a-case.yaml). After a change:
\`UPDATE_DOCS=1 npm test -- test/cases/specification\`.
`;

/** Renders the page `docs/specification-coverage.md`. */
export function renderCoverage(rows: readonly Row[], proofs: readonly Proof[], excuses: Excuses): string {
  const covered = rows.filter(({ row }) => proofs.some(({ proves }) => proves.includes(row)));
  const figures = `${rows.length} rows; ${covered.length} have cases.`;
  const sections = Object.entries(Object.groupBy(rows, ({ row }) => row.replace(/\..*/, "")));
  const tables = sections.map(([section, some = []]) =>
    [
      `\n## Section ${section}\n`,
      "| Row | Specification | Cases |",
      "| --- | --- | --- |",
      ...some.map(({ row, text }) => `| ${row} | ${text} | ${renderProofs(row, proofs, excuses)} |`),
    ].join("\n"),
  );
  return [HEAD, figures, ...tables, ""].join("\n");
}

/** Renders `file › name; name`, a line for each file. */
function renderProofs(row: string, proofs: readonly Proof[], excuses: Excuses): string {
  const proving = proofs.filter(({ proves }) => proves.includes(row));
  if (proving.length === 0) return `none: ${excuses[row] ?? "missing"}`;
  const files = Object.entries(Object.groupBy(proving, ({ file }) => file));
  const escaped = (name: string) => name.replaceAll("|", "\\|").replaceAll("<", "\\<");
  return files.map(([file, some = []]) => `${file} › ${some.map(({ name }) => escaped(name)).join("; ")}`).join("<br>");
}

/** Reads the rows from the page, for a clone without the specification next to it. */
export function readCoveredRows(page: string): Row[] {
  return [...page.matchAll(/^\| (\d+\.\d+) \| (.*?) \| /gm)].map(([, row = "", text = ""]) => ({ row, text }));
}
