import { setTimeout as delay } from "node:timers/promises";
import DataLoader from "dataloader";

/** Looks up many keys at once; the map contains every key. */
export type LookUpMany<Result> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Result>>;

/**
 * Milliseconds to pause after a call, by its number of keys: a single key is looked up immediately; during a burst,
 * keys accumulate. Without the pause, 502 deletions took 89 calls; messages that are being applied meanwhile have been
 * looked up already.
 */
const restAfter = (keys: number) => Math.min(2 * keys, 20);

/**
 * Makes concurrent look-ups share calls: those made during a call are combined in the next one, at most `limit` keys.
 * Results are not cached.
 */
export function coalesce<Result>(lookUp: LookUpMany<Result>, limit: number): LookUpMany<Result> {
  let underWay: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<string, Result>(
    async (keys) => {
      const running = lookUp([...new Set(keys)]);
      underWay = Promise.allSettled([underWay, running]).then(() => delay(restAfter(keys.length)));
      const results = await running;
      return keys.map((key) => results.get(key) ?? new Error(`no result for ${key}`));
    },
    { cache: false, maxBatchSize: limit, batchScheduleFn: (dispatch) => void underWay.then(dispatch) },
  );
  return async (keys) => {
    const results = await Promise.all(keys.map((key) => loader.load(key)));
    return new Map(keys.map((key, index) => [key, results[index] as Result]));
  };
}
