export interface Wake {
  /** Ends the current wait, or the next one if none is pending. */
  now(): void;
  wait(): Promise<void>;
}

/** Creates a coalesced wake-up signal for a single waiter: several signals before it wakes count as one. */
export function createWake(): Wake {
  let signalled = false;
  let resolve: (() => void) | undefined;
  return {
    now: () => {
      signalled = true;
      resolve?.();
    },
    wait: async () => {
      if (!signalled) await new Promise<void>((wakeUp) => (resolve = wakeUp));
      signalled = false;
      resolve = undefined;
    },
  };
}
