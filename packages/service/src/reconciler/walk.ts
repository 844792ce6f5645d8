import type { Page } from "./reference-kind.ts";

/** Half of the most ids that an owner accepts per call. */
export const PAGE_SIZE = 500;

/**
 * Bounds a pass: 50,000 references of a kind. 100 pages took an owner about half a second. The next pass continues
 * where this one ended.
 */
export const MAX_PAGES = 100;

/**
 * Visits page after page, starting after `after`, until the last page, the bound, or `visit` returns false. Returns
 * where the next walk begins: empty if this one reached the end.
 */
export async function walk<Row extends string | { readonly id: string }>(
  page: Page<Row>,
  after: string,
  visit: (rows: readonly Row[]) => Promise<boolean>,
): Promise<string> {
  let last = after;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const rows = await page(last, PAGE_SIZE);
    const goesOn = rows.length === 0 || (await visit(rows));
    const end = rows.at(-1);
    if (rows.length < PAGE_SIZE || end === undefined) return "";
    last = typeof end === "string" ? end : end.id;
    if (!goesOn) break;
  }
  return last;
}
