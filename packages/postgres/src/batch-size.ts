/** The number of rows of the next batch of a long work. */
export interface BatchSize {
  readonly rows: number;
  /** Reports how long the last batch took. */
  took(ms: number): void;
}

/** A batch that takes longer is followed by one of half as many rows, a shorter one by one of twice as many. */
const LONG_MS = 50;

export interface BatchLimits {
  readonly least: number;
  /** Less than the most: after a start, the same work takes several times as long. */
  readonly first: number;
  readonly most: number;
}

/** Rows are locked while a batch lasts, so that no other transaction waits long for one of them. */
export function createBatchSize({ least, first, most }: BatchLimits): BatchSize {
  let rows = first;
  return {
    get rows() {
      return rows;
    },
    took(ms) {
      rows = ms > LONG_MS ? Math.max(least, Math.floor(rows / 2)) : Math.min(most, rows * 2);
    },
  };
}
