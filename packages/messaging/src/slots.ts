export interface Slots {
  /** Resolves, in the order of the calls, when a slot is free, with the function that gives it back. */
  take(): Promise<() => void>;
  /** Resolves when no slot is in use. */
  idle(): Promise<void>;
}

/** Lets at most `count` pieces of work run at a time. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  let sleepers: (() => void)[] = [];
  const give = () => {
    const next = waiting.shift();
    if (next) return next();
    free++;
    if (free < count) return;
    for (const wake of sleepers) wake();
    sleepers = [];
  };
  return {
    take: async () => {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return give;
    },
    idle: () => (free === count ? Promise.resolve() : new Promise((resolve) => sleepers.push(resolve))),
  };
}
