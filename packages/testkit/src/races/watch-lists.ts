/**
 * Reads lists continuously, and records ids that they contain although they were known to be deleted before the
 * request.
 */
export interface ListWatch {
  /** Reports a confirmed deletion. */
  reportDeleted(id: string): void;
  /** Stops reading. */
  stop(): Promise<Watched>;
}

export interface Watched {
  /** Number of lists read. */
  readonly lists: number;
  /** Number of records in them. */
  readonly listed: number;
  /** Ids that they must not have contained. */
  readonly shownDeleted: readonly string[];
}

/** `readList` returns the ids of one list, in any order; each of the readers calls it again as soon as it resolves. */
export function watchLists(readList: () => Promise<readonly string[]>, readers = 1): ListWatch {
  const places = new Map<string, number>();
  const shownDeleted: string[] = [];
  let [lists, listed, isOver] = [0, 0, false];
  const watch = async () => {
    while (!isOver) {
      const deletedBefore = places.size;
      const ids = await readList();
      lists++;
      listed += ids.length;
      shownDeleted.push(...ids.filter((id) => (places.get(id) ?? deletedBefore) < deletedBefore));
    }
  };
  const watching = Promise.all(Array.from({ length: readers }, watch));
  // Its failure is reported by `stop`.
  watching.catch(() => undefined);
  return {
    reportDeleted: (id) => {
      if (!places.has(id)) places.set(id, places.size);
    },
    stop: async () => {
      isOver = true;
      await watching;
      return { lists, listed, shownDeleted };
    },
  };
}
