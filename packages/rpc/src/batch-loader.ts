import { createSemaphore, type Release } from "@cloud/runtime/limits";
import { type Correlation, correlate, currentCorrelation, joinCorrelations } from "@cloud/runtime/telemetry";
import DataLoader from "dataloader";

interface BatchLoaderOptions {
  /** The most keys of one look-up. */
  readonly maxBatchSize: number;
  /** Milliseconds after which a look-up in flight no longer delays the next one; indefinitely if absent. */
  readonly maxWaitMs?: number;
}

interface Call {
  readonly key: string;
  readonly correlation: Correlation | undefined;
}

/**
 * Makes concurrent calls share look-ups: the calls of one turn of the event loop share one, and so do the calls made
 * while a look-up is in flight. A look-up begins after all calls that it serves, and no result is kept, so no result is
 * older than its call. A look-up that fails rejects its own calls only. It runs for the request that it serves, or, if
 * there are several, under an id of its own (`joinCorrelations`).
 */
export function createBatchLoader<Result>(
  lookUp: LookUpMany<Result>,
  { maxBatchSize, maxWaitMs }: BatchLoaderOptions,
): (key: string) => Promise<Result> {
  const semaphore = createSemaphore({ max: 1 }); // protects: look-ups-in-turn
  /** Ends the turn of the look-up that begins in the next turn of the event loop. */
  let release: Release = () => undefined;
  const schedule = async (begin: () => void) => {
    release = await semaphore.acquire();
    setImmediate(begin);
  };
  const loader = new DataLoader<Call, Result>(
    async (calls) => {
      const end = release;
      const late = maxWaitMs === undefined ? undefined : setTimeout(end, maxWaitMs);
      const keys = calls.map(({ key }) => key);
      const correlation = joinCorrelations(calls.map((call) => call.correlation));
      try {
        const results = await correlate(correlation, () => lookUp([...new Set(keys)]));
        // The message leaves out the key, which may be a secret.
        return keys.map((key) => results.get(key) ?? new Error("a look-up returned no result for a key"));
      } finally {
        clearTimeout(late);
        end();
      }
    },
    { cache: false, maxBatchSize, batchScheduleFn: (begin) => void schedule(begin) },
  );
  return (key) => loader.load({ key, correlation: currentCorrelation() });
}

/** Looks up distinct keys. The map contains every key; an Error in it rejects the calls for that key only. */
export type LookUpMany<Result> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Result | Error>>;
