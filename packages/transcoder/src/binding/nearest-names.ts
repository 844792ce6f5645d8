/** The length that is still compared. The work grows with its square: for 64 letters and 30 names about 0.1 ms. */
const MAX_NAME_LENGTH = 64;

/**
 * Returns the `names` that differ least from `name`: at most three, each in at most about a third of its letters. Case
 * and underscores do not count. A name longer than `maxLength` has none.
 */
export function nearestNames(name: string, names: readonly string[], maxLength = MAX_NAME_LENGTH): string[] {
  const sought = fold(name);
  if (sought.length === 0 || sought.length > maxLength) return [];
  const near = names
    .map((known) => ({ known, distance: distanceOfNames(sought, fold(known)) }))
    .filter(({ known, distance }) => distance <= Math.ceil(Math.max(sought.length, known.length) / 3));
  const min = Math.min(...near.map(({ distance }) => distance));
  return near
    .filter(({ distance }) => distance === min)
    .slice(0, 3)
    .map(({ known }) => known);
}

/** Returns the least cost of making one sequence the other: 1 for each part that is inserted or deleted. */
export function editDistance(
  one: ArrayLike<string>,
  other: ArrayLike<string>,
  costOfReplacing: (part: string, by: string) => number,
): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + costOfReplacing(one[at - 1] ?? "", other[column - 1] ?? "");
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function distanceOfNames(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > one.length / 2) return Number.POSITIVE_INFINITY;
  return editDistance(one, other, (letter, by) => (letter === by ? 0 : 1));
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}
