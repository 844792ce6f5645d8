import { setTimeout as delay } from "node:timers/promises";
import { type Correlation, correlate, currentCorrelation, joinCorrelations } from "@cloud/telemetry";
import DataLoader from "dataloader";

/** Looks up distinct keys. The map contains every key; an Error in it rejects the calls for that key only. */
export type LookUpMany<Result> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Result | Error>>;

export interface CoalesceOptions {
  /** The most keys of one look-up. */
  readonly mostKeys: number;
  /** The most look-ups in flight. */
  readonly mostInFlight: number;
  /** Milliseconds after which a look-up in flight no longer delays the next one; indefinitely if absent. */
  readonly patienceMs?: number;
  /** Milliseconds to pause after a look-up, by its number of keys; none if absent. */
  readonly restAfter?: (keys: number) => number;
}

/**
 * Makes concurrent calls share look-ups: those of one turn of the event loop are one look-up, and so are those made
 * while as many look-ups are in flight as may be. A look-up begins after all calls that it serves, and no result is kept,
 * so none is older than its call. One that fails rejects its own calls only. It runs for the request that it serves, or, if
 * there are several, under an id of its own (`joinCorrelations`).
 */
export function coalesce<Result>(
  lookUp: LookUpMany<Result>,
  { mostKeys, mostInFlight, patienceMs, restAfter = () => 0 }: CoalesceOptions,
): (key: string) => Promise<Result> {
  const turns = createTurns(mostInFlight);
  const loader = new DataLoader<Call, Result>(
    async (calls) => {
      const turn = turns.begin(patienceMs);
      const keys = calls.map(({ key }) => key);
      const correlation = joinCorrelations(calls.map((call) => call.correlation));
      try {
        const results = await correlate(correlation, () => lookUp([...new Set(keys)]));
        // Without the key, which may be a secret.
        return keys.map((key) => results.get(key) ?? new Error("a look-up returned no result for a key"));
      } finally {
        turn.end(restAfter(keys.length));
      }
    },
    { cache: false, maxBatchSize: mostKeys, batchScheduleFn: turns.wait },
  );
  return (key) => loader.load({ key, correlation: currentCorrelation() });
}

interface Call {
  readonly key: string;
  readonly correlation: Correlation | undefined;
}

/** Lets at most `limit` look-ups run; the others wait in the order in which they came. */
function createTurns(limit: number) {
  const waiting: (() => void)[] = [];
  let free = limit;
  const pass = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    /** Calls `run` once there is a turn, at the earliest at the end of this turn of the event loop. */
    wait: (run: () => void) => {
      if (free === 0) return void waiting.push(run);
      free -= 1;
      setImmediate(run);
    },
    /** Begins the turn that was waited for. It ends once, at the latest after `patienceMs`. */
    begin: (patienceMs: number | undefined) => {
      let isHeld = true;
      const release = () => {
        if (isHeld) pass();
        isHeld = false;
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(release, patienceMs);
      const end = (restMs: number) => {
        clearTimeout(timer);
        if (restMs === 0) release();
        else void delay(restMs).then(release);
      };
      return { end };
    },
  };
}
