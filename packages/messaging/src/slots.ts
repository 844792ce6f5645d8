export interface Slots {
  /** Resolves, in the order of the calls, when a slot is free, with the function that gives it back. */
  take(): Promise<() => void>;
  /** Takes every slot, so that nothing else runs meanwhile. */
  takeAll(): Promise<() => void>;
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
  const take = async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return give;
  };
  let lastOfAll = Promise.resolve(); // two who each hold some of the slots would wait for each other for ever
  return {
    take,
    takeAll: async () => {
      const before = lastOfAll;
      const mine = Promise.withResolvers<void>();
      lastOfAll = mine.promise;
      await before;
      for (let taken = 0; taken < count; taken++) await take();
      return () => {
        for (let given = 0; given < count; given++) give();
        mine.resolve();
      };
    },
    idle: () => (free === count ? Promise.resolve() : new Promise((resolve) => sleepers.push(resolve))),
  };
}
