export interface Semaphore {
  /** Waits in the order of the calls for a permit. Resolves with the function that releases it. */
  acquire(): Promise<() => void>;
  /** Runs work while holding a permit. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Runs work while holding all permits, so that nothing else runs meanwhile. */
  runAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Whether a permit is free. */
  isFree(): boolean;
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
  let lastOfAll = Promise.resolve(); // serialises: two callers each holding some permits would deadlock
  const acquireAll = async () => {
    const before = lastOfAll;
    const mine = Promise.withResolvers<void>();
    lastOfAll = mine.promise;
    await before;
    for (let acquired = 0; acquired < count; acquired++) await acquire();
    return () => {
      for (let released = 0; released < count; released++) release();
      mine.resolve();
    };
  };
  const runWith =
    (acquireSome: () => Promise<() => void>) =>
    async <T>(work: () => Promise<T>): Promise<T> => {
      const releaseSome = await acquireSome();
      try {
        return await work();
      } finally {
        releaseSome();
      }
    };
  return {
    acquire,
    run: runWith(acquire),
    runAlone: runWith(acquireAll),
    isFree: () => free > 0,
    idle: () => (free === count ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
  };
}
