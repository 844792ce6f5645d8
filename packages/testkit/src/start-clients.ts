import { setTimeout as delay } from "node:timers/promises";

export interface Clients {
  /** Begins no more, and answers when what is under way is done. @throws what the work threw first */
  stop(): Promise<void>;
}

/**
 * Does `work` over and over for each of `count` clients side by side, each of which asks again only when it was answered.
 * When the work answers false, its client waits `pauseMs` milliseconds, as polite clients of a failing system do.
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
  running.catch(() => over.abort()); // the others end too; told by `stop`
  return {
    stop: async () => {
      over.abort();
      await running;
    },
  };
}
