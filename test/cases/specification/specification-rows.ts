/** A row of the specification that cases prove. */
export interface Row {
  /** `<section>.<n>`, such as `3.2`. */
  readonly row: string;
  /** The row's text, on one line; the cells of a table joined by ` · `. */
  readonly text: string;
}

/**
 * Numbers the rows of the specification: in each `## k. …` section every row of a table's body and every item of a
 * list, in order of appearance, from 1.
 */
export function numberRows(specification: string): Row[] {
  const lines = specification.split("\n");
  const rows: Row[] = [];
  let section = "";
  let count = 0;
  for (const [index, line] of lines.entries()) {
    const heading = /^## (\d+)\. /.exec(line)?.[1];
    if (heading !== undefined) [section, count] = [heading, 0];
    const text = isSeparator(lines[index + 1]) ? undefined : (readTableRow(line) ?? readListItem(line));
    if (text !== undefined && section !== "") rows.push({ row: `${section}.${++count}`, text });
  }
  return rows;
}

/** Returns whether the line is the one under the head of a table. */
const isSeparator = (line: string | undefined): boolean => /^\|( *:?-+:? *\|)+$/.test(line?.trim() ?? "");

function readTableRow(line: string): string | undefined {
  if (!line.startsWith("|") || isSeparator(line)) return undefined;
  const cells = line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|");
  return cells.map((cell) => cell.trim()).join(" · ");
}

const readListItem = (line: string): string | undefined => /^\s*(?:[-*]|\d+\.) +(.+)$/.exec(line)?.[1]?.trim();
