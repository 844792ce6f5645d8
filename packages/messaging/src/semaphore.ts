export interface Semaphore {
  /** Waits in the order of the calls for a permit. Resolves with the function that releases it. */
  acquire(): Promise<() => void>;
  /** Runs work while holding a permit. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when no permit is held. */
  idle(): Promise<void>;
}

/** Creates a semaphore with `count` permits. */
export function createSemaphore(count: number): Semaphore {
  let free = count;
  const waiting: (() => void)[] = [];
  let idleWaiters: (() => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) return next();
    free++;
    if (free < count) return;
    for (const resolve of idleWaiters) resolve();
    idleWaiters = [];
  };
  const acquire = async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return release;
  };
  return {
    acquire,
    run: async (work) => {
      await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
    idle: () => (free === count ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
  };
}
