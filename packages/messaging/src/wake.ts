export interface Wake {
  /** Ends the wait, or the next one when nobody waits. */
  now(): void;
  wait(): Promise<void>;
}

/** A bell for one sleeper: rung twice before it wakes, it wakes once. */
export function createWake(): Wake {
  let rung = false;
  let resolve: (() => void) | undefined;
  return {
    now: () => {
      rung = true;
      resolve?.();
    },
    wait: async () => {
      if (!rung) await new Promise<void>((wakeUp) => (resolve = wakeUp));
      rung = false;
      resolve = undefined;
    },
  };
}
