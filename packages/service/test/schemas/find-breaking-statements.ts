/** Matches the first line of a migration that is marked as breaking the previous binary. */
export const MARK = /^-- breaking: \S/;

/**
 * Finds the statements of a migration that break a binary written for the previous schema, each as one line. Changes to
 * a table that the same migration creates break none.
 */
export function findBreakingStatements(migration: string): string[] {
  const statements = withoutTexts(migration)
    .split(";")
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim());
  const created = new Set(
    statements.map((statement) => /^create (?:unlogged )?table (?:if not exists )?(\S+)/i.exec(statement)?.[1]),
  );
  return statements.filter((statement) => {
    const table = /^(?:alter|drop) table (?:if exists )?(?:only )?(\S+)/i.exec(statement)?.[1];
    return !(table !== undefined && created.has(table)) && isBreaking(statement);
  });
}

/** Removes comments, the bodies of functions and literals: they contain no statement of the migration. */
function withoutTexts(migration: string): string {
  return migration.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g, (text) =>
    text.startsWith("-") || text.startsWith("/") ? " " : "''",
  );
}

function isBreaking(statement: string): boolean {
  if (/^drop (table|view|materialized view|function|procedure|type|domain|sequence|schema)\b/i.test(statement))
    return true;
  // The definition of a column extends to the next action; commas in brackets belong to it.
  const actions = statement.split(/,(?![^(]*\))/).map((action) => action.trim());
  return (
    /^alter (table|view|materialized view|type|sequence|function|domain)\b/i.test(statement) && actions.some(breaks)
  );
}

function breaks(action: string): boolean {
  if (/\brename\b/i.test(action) || /\bset schema\b/i.test(action)) return true;
  // Constraints too: "on conflict on constraint" names them.
  if (/\bdrop (?!default\b|not null\b|expression\b|identity\b)/i.test(action)) return true;
  if (/\balter (column )?\S+ (set data )?type\b/i.test(action)) return true;
  // Even with a default, which applies only if an insert omits the column: an older binary may write null explicitly.
  if (/\balter (column )?\S+ set not null\b/i.test(action)) return true;
  return /\badd (column )?(?!constraint\b|check\b|unique\b|primary\b|foreign\b|exclude\b)/i.test(action)
    ? /\bnot null\b/i.test(action) && !/\bdefault\b|\bgenerated\b/i.test(action)
    : false;
}
