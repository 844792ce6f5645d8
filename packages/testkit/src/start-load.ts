import { setTimeout as delay } from "node:timers/promises";

/** One piece of work that a load did. */
export interface Sample<T> {
  /** When it was due, in milliseconds since the load began. */
  readonly at: number;
  /** From when it was due until it was done, in milliseconds: waiting for its turn counts. */
  readonly ms: number;
  /** What it answered; undefined when it threw. */
  readonly answer?: T;
  readonly error?: unknown;
}

export interface Load<T> {
  /** Milliseconds since the load began, as in `at`. */
  now(): number;
  /** Those done so far. */
  samples(): readonly Sample<T>[];
  /** How many were begun and are not done. */
  running(): number;
  /** Begins no more, and answers all when the last is done. */
  stop(): Promise<readonly Sample<T>[]>;
}

/**
 * Begins a piece of work `perSecond` times a second, whether those before are done or not, as independent clients do: a
 * system that stalls is not asked less for it.
 */
export function startLoad<T>(perSecond: number, work: (index: number) => Promise<T>): Load<T> {
  const began = performance.now();
  const now = () => performance.now() - began;
  const samples: Sample<T>[] = [];
  const running = new Set<Promise<void>>();
  const over = new AbortController();

  const begin = (index: number, at: number) => {
    const doing = work(index)
      .then(
        (answer) => void samples.push({ at, ms: now() - at, answer }),
        (error: unknown) => void samples.push({ at, ms: now() - at, error }),
      )
      .finally(() => running.delete(doing));
    running.add(doing);
  };
  const run = async () => {
    for (let index = 0; !over.signal.aborted; ) {
      for (; (index * 1000) / perSecond <= now(); index++) begin(index, (index * 1000) / perSecond);
      await delay(Math.max(1, (index * 1000) / perSecond - now()), undefined, { signal: over.signal }).catch(
        () => undefined,
      );
    }
  };
  const driving = run();
  return {
    now,
    samples: () => samples,
    running: () => running.size,
    stop: async () => {
      over.abort();
      await driving;
      await Promise.all(running);
      return samples;
    },
  };
}
