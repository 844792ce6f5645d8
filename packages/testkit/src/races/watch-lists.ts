/** Reads lists all the time, and notes what they show although it was known to be gone before they were asked for. */
export interface ListWatch {
  /** A deletion was confirmed. */
  gone(id: string): void;
  /** Reads no more. */
  stop(): Promise<Watched>;
}

export interface Watched {
  /** How many lists were read. */
  readonly lists: number;
  /** How many records they showed. */
  readonly listed: number;
  /** What they must not have shown. */
  readonly shownGone: readonly string[];
}

/** `readList` answers the ids of one list, in whatever order; each of the readers calls it again as soon as it has. */
export function watchLists(readList: () => Promise<readonly string[]>, readers = 1): ListWatch {
  const places = new Map<string, number>();
  const shownGone: string[] = [];
  let [lists, listed, isOver] = [0, 0, false];
  const watch = async () => {
    while (!isOver) {
      const goneBefore = places.size;
      const ids = await readList();
      lists++;
      listed += ids.length;
      shownGone.push(...ids.filter((id) => (places.get(id) ?? goneBefore) < goneBefore));
    }
  };
  const watching = Promise.all(Array.from({ length: readers }, watch));
  // Whoever stops the watch hears of its failure.
  watching.catch(() => undefined);
  return {
    gone: (id) => {
      if (!places.has(id)) places.set(id, places.size);
    },
    stop: async () => {
      isOver = true;
      await watching;
      return { lists, listed, shownGone };
    },
  };
}
