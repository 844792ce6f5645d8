import { createSemaphore, type Release } from "@cloud/program";
import { type Correlation, correlate, currentCorrelation, joinCorrelations } from "@cloud/telemetry";
import DataLoader from "dataloader";

/** Looks up distinct keys. The map contains every key; an Error in it rejects the calls for that key only. */
export type LookUpMany<Result> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Result | Error>>;

export interface CoalesceOptions {
  /** The most keys of one look-up. */
  readonly mostKeys: number;
  /** Milliseconds after which a look-up in flight no longer delays the next one; indefinitely if absent. */
  readonly patienceMs?: number;
  /** Milliseconds to pause after a look-up, by its number of keys; none if absent. */
  readonly restAfter?: (keys: number) => number;
}

interface Call {
  readonly key: string;
  readonly correlation: Correlation | undefined;
}

/**
 * Makes concurrent calls share look-ups: those of one turn of the event loop are one look-up, and so are those made
 * while one is in flight. A look-up begins after all calls that it serves, and no result is kept, so none is older than
 * its call. One that fails rejects its own calls only. It runs for the request that it serves, or, if there are several,
 * under an id of its own (`joinCorrelations`).
 */
export function coalesce<Result>(
  lookUp: LookUpMany<Result>,
  { mostKeys, patienceMs, restAfter = () => 0 }: CoalesceOptions,
): (key: string) => Promise<Result> {
  const turns = createSemaphore({ max: 1 }); // protects: look-ups-in-turn
  /** Ends the turn of the look-up that begins in the next turn of the event loop. */
  let endTurn: Release = () => undefined;
  const schedule = async (begin: () => void) => {
    endTurn = await turns.acquire();
    setImmediate(begin);
  };
  const loader = new DataLoader<Call, Result>(
    async (calls) => {
      const end = endTurn;
      const late = patienceMs === undefined ? undefined : setTimeout(end, patienceMs);
      const keys = calls.map(({ key }) => key);
      const correlation = joinCorrelations(calls.map((call) => call.correlation));
      try {
        const results = await correlate(correlation, () => lookUp([...new Set(keys)]));
        // Without the key, which may be a secret.
        return keys.map((key) => results.get(key) ?? new Error("a look-up returned no result for a key"));
      } finally {
        clearTimeout(late);
        const restMs = restAfter(keys.length);
        if (restMs === 0) end();
        else setTimeout(end, restMs);
      }
    },
    { cache: false, maxBatchSize: mostKeys, batchScheduleFn: (begin) => void schedule(begin) },
  );
  return (key) => loader.load({ key, correlation: currentCorrelation() });
}
