import { setTimeout as delay } from "node:timers/promises";

/** A completed piece of work of a load. */
export interface Sample<T> {
  /** The time at which it was due, in milliseconds since the load began. */
  readonly at: number;
  /** Milliseconds from when it was due until it was done: waiting counts. */
  readonly ms: number;
  /** The result of the work; undefined if it threw. */
  readonly result?: T;
  readonly error?: unknown;
}

export interface Load<T> {
  /** Milliseconds since the load began, as in `at`. */
  now(): number;
  /** The samples so far. */
  samples(): readonly Sample<T>[];
  /** Number of pieces in progress. */
  running(): number;
  /** Starts no more work, and resolves with all samples when the last is done. */
  stop(): Promise<readonly Sample<T>[]>;
}

interface Clock {
  /** Returns milliseconds. */
  read(): number;
  /** Resolves after so many milliseconds, or when `signal` aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

const REAL: Clock = {
  read: () => performance.now(),
  pause: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/**
 * Starts a piece of work `perSecond` times a second, whether earlier ones are done or not, like independent clients: a
 * stalled system does not receive fewer requests.
 */
export function startLoad<T>(
  perSecond: number,
  work: (index: number) => Promise<T>,
  { read, pause }: Clock = REAL,
): Load<T> {
  const began = read();
  const now = () => read() - began;
  const samples: Sample<T>[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  const begin = (index: number, at: number) => {
    const doing = work(index)
      .then(
        (result) => void samples.push({ at, ms: now() - at, result }),
        (error: unknown) => void samples.push({ at, ms: now() - at, error }),
      )
      .finally(() => running.delete(doing));
    running.add(doing);
  };
  const run = async () => {
    for (let index = 0; !stopping.signal.aborted; ) {
      for (; (index * 1000) / perSecond <= now(); index++) begin(index, (index * 1000) / perSecond);
      await pause(Math.max(1, (index * 1000) / perSecond - now()), stopping.signal);
    }
  };
  const driving = run();
  return {
    now,
    samples: () => samples,
    running: () => running.size,
    stop: async () => {
      stopping.abort();
      await driving;
      await Promise.all(running);
      return samples;
    },
  };
}

export interface Clients {
  /** Starts no more work, and resolves when the current work is done. @throws the first error of the work */
  stop(): Promise<void>;
}

/**
 * Runs `work` repeatedly for each of `count` concurrent clients; each client continues only after a reply. If the work
 * returns false, its client waits `pauseMs` milliseconds, as polite clients of a failing system do.
 */
export function startClients(
  count: number,
  pauseMs: number,
  work: (client: number) => Promise<boolean | undefined>,
): Clients {
  const stopping = new AbortController();
  const run = async (client: number) => {
    while (!stopping.signal.aborted) {
      if ((await work(client)) === false) await delay(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: count }, (_, client) => run(client)));
  running.catch(() => stopping.abort()); // the others stop too; reported by `stop`
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
