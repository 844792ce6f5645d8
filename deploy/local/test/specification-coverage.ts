import type { Row } from "./specification-rows.ts";

/** Something that proves rows: a case by its file and name. */
export interface Proof {
  readonly file: string;
  readonly name: string;
  readonly proves: readonly string[];
}

/** Rows that no request can show, and why. */
export type Excuses = Readonly<Record<string, string>>;

/** What is wrong with the coverage, one line each; none when every row has a case or an excuse, and no row both. */
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

What the specification says, row by row, and the cases that prove it on a running system, each by REST and by RPC
([deploy/local/test/cases](../deploy/local/test/cases)). Rows are numbered by section, each row of a table and each item
of a list in order. A row without a case says why
([rows-without-a-case.yaml](../deploy/local/test/rows-without-a-case.yaml)). After a change:
\`UPDATE_DOCS=1 npm test -- deploy/local/test/specification-coverage\`.
`;

/** The page `docs/specification-coverage.md`. */
export function renderCoverage(rows: readonly Row[], proofs: readonly Proof[], excuses: Excuses): string {
  const covered = rows.filter(({ row }) => proofs.some(({ proves }) => proves.includes(row)));
  const figures = `${rows.length} rows; ${covered.length} are proved by ${proofs.length} cases.`;
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

/** `file › name; name`, a line for each file. */
function renderProofs(row: string, proofs: readonly Proof[], excuses: Excuses): string {
  const proving = proofs.filter(({ proves }) => proves.includes(row));
  if (proving.length === 0) return `none: ${excuses[row] ?? "missing"}`;
  const files = Object.entries(Object.groupBy(proving, ({ file }) => file));
  const escaped = (name: string) => name.replaceAll("|", "\\|").replaceAll("<", "\\<");
  return files.map(([file, some = []]) => `${file} › ${some.map(({ name }) => escaped(name)).join("; ")}`).join("<br>");
}

/** The rows as the page tells them, for a clone without the specification beside it. */
export function readCoveredRows(page: string): Row[] {
  return [...page.matchAll(/^\| (\d+\.\d+) \| (.*?) \| /gm)].map(([, row = "", text = ""]) => ({ row, text }));
}
