/** Links between two records of this service: no peer is involved. */
export interface LocalLinks {
  /** Used in log lines and metrics, such as `workspace-local-links`. */
  readonly name: string;
  /**
   * Of the next links after `after` (empty for the first), deletes those with a deleted end. Returns the last link
   * checked, empty when there are no more.
   */
  readonly sweep: (after: string, limit: number) => Promise<{ readonly ended: number; readonly last: string }>;
}

const PAGE_SIZE = 1_000;
/** Bounds a sweep; the next one continues where this one ended. */
const MAX_PAGES = 100;

export interface Sweep {
  readonly ended: number;
  /** Where the next sweep continues; empty for the beginning. */
  readonly cursor: string;
}

/** Runs one bounded sweep. No change by this service leaves such a link, but restoring a part of its schema may. */
export async function sweepLocalLinks(links: LocalLinks, cursor: string): Promise<Sweep> {
  let ended = 0;
  let last = cursor;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await links.sweep(last, PAGE_SIZE);
    ended += page.ended;
    last = page.last;
    if (last === "") break;
  }
  return { ended, cursor: last };
}
