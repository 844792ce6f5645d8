import type { Options } from "../options.ts";

/** The sizes that are compared with each other. */
export interface Scale {
  /** Workspaces of each organization, the smallest first: the others are compared with it. */
  readonly workspaces: readonly [number, ...number[]];
  /** Lines of the logs of two workspaces. */
  readonly lines: readonly [number, number];
  /** Links of each of the four kinds of the workspaces, out of twice as many records as the largest one has. */
  readonly links: readonly [number, number, ...number[]];
  /** Old lines that are purged. */
  readonly purged: number;
  /** Records of an organization that is deleted. */
  readonly deleted: number;
}

export function scaleOf({ small, long }: Pick<Options, "small" | "long">): Scale {
  // More than 1,000 links are listed by a copy of them; a search of more than 1,000 records takes several statements.
  if (small) return { workspaces: [100, 1_500], lines: [100, 1_500], links: [100, 1_100], purged: 300, deleted: 200 };
  return {
    workspaces: [1_000, 100_000, 1_000_000],
    lines: [1_000, long ? 10_000_000 : 2_000_000],
    links: [1_000, 10_000, 100_000],
    purged: long ? 1_000_000 : 20_000,
    deleted: long ? 100_000 : 20_000,
  };
}

/** Writes a size as the name of a side: `1,000,000`. */
export const nameOf = (size: number) => size.toLocaleString("en-US");
