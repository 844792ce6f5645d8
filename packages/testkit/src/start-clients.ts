import { setTimeout as delay } from "node:timers/promises";

export interface Clients {
  /** Starts no more work, and resolves when the current work is done. @throws the first error of the work */
  stop(): Promise<void>;
}

/**
 * Runs `work` repeatedly for each of `count` concurrent clients, each of which continues only after a reply. If the
 * work returns false, its client waits `pauseMs` milliseconds, as polite clients of a failing system do.
 */
export function startClients(
  count: number,
  pauseMs: number,
  work: (client: number) => Promise<boolean | undefined>,
): Clients {
  const over = new AbortController();
  const run = async (client: number) => {
    while (!over.signal.aborted) {
      if ((await work(client)) === false) await delay(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: count }, (_, client) => run(client)));
  running.catch(() => over.abort()); // the others stop too; reported by `stop`
  return {
    stop: async () => {
      over.abort();
      await running;
    },
  };
}
