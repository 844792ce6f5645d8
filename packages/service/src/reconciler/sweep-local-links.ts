import type { LocalLinks } from "./local-links.ts";
import { MAX_PAGES } from "./walk.ts";

const PAGE_SIZE = 1_000;

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
