/**
 * The counts of the current window: for each key, the requests that this replica admitted and those of the others as
 * of the last exchange.
 */
export interface Usage {
  /** Returns how many requests of the key have passed in the window, on all replicas as far as known. */
  of(key: string, window: number): number;
  add(key: string, window: number): void;
  /** Takes what was added since, for at most `most` keys; undefined if there is nothing. */
  take(most: number): Taken | undefined;
}

/** Requests that are on their way to the other replicas. They count here meanwhile. */
export interface Taken {
  /** Milliseconds since 1970. */
  readonly window: number;
  readonly added: ReadonlyMap<string, number>;
  /** Sets the sums of all replicas. */
  confirm(sums: ReadonlyMap<string, number>): void;
  /** Leaves them for the next exchange. */
  giveBack(): void;
}

interface Count {
  /** The sum of all replicas at the last exchange. */
  shared: number;
  /** Let pass here since then. */
  own: number;
  inTransit: number;
}

/**
 * Counts in memory, for at most `mostKeys` keys: beyond them the oldest is forgotten, and its sum returns with the next
 * exchange. A new window forgets all of them.
 */
export function createUsage(mostKeys: number): Usage {
  let current = Number.NaN;
  const counts = new Map<string, Count>();
  const changed = new Map<string, Count>();

  const enter = (window: number) => {
    if (window === current) return;
    current = window;
    counts.clear();
    changed.clear();
  };
  const create = (key: string): Count => {
    const [oldest] = counts.size >= mostKeys ? counts.keys() : [];
    if (oldest !== undefined) {
      counts.delete(oldest);
      changed.delete(oldest);
    }
    const count = { shared: 0, own: 0, inTransit: 0 };
    counts.set(key, count);
    return count;
  };
  return {
    of: (key, window) => {
      enter(window);
      const { shared = 0, own = 0, inTransit = 0 } = counts.get(key) ?? {};
      return shared + own + inTransit;
    },
    add: (key, window) => {
      enter(window);
      const count = counts.get(key) ?? create(key);
      count.own++;
      changed.set(key, count);
    },
    take: (most) => {
      if (changed.size === 0) return undefined;
      const taken = [...changed].slice(0, most);
      for (const [key, count] of taken) {
        changed.delete(key);
        count.inTransit = count.own;
        count.own = 0;
      }
      return {
        window: current,
        added: new Map(taken.map(([key, { inTransit }]) => [key, inTransit])),
        // A count that was forgotten meanwhile, or belongs to an earlier window, is in no map any more.
        confirm: (sums) => {
          for (const [key, count] of taken) {
            // The table may have lost its rows: what was counted once still counts.
            count.shared = Math.max(count.shared + count.inTransit, sums.get(key) ?? 0);
            count.inTransit = 0;
          }
        },
        giveBack: () => {
          for (const [key, count] of taken) {
            count.own += count.inTransit;
            count.inTransit = 0;
            if (counts.get(key) === count) changed.set(key, count);
          }
        },
      };
    },
  };
}
