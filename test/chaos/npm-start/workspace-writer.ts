import { setTimeout as delay } from "node:timers/promises";
import type { Demo } from "@cloud/local-stack";
import { restFor } from "../../e2e/rest.ts";

export interface Writer {
  /** Ids confirmed by a 2xx. */
  readonly confirmed: readonly string[];
  /** Number of requests that were refused or had no response. */
  failed(): number;
  /** Returns the milliseconds from now until the next write is confirmed. */
  untilConfirmed(deadlineMs: number): Promise<number>;
  stop(): Promise<void>;
  /** Returns the confirmed ids that cannot be found. */
  lost(): Promise<string[]>;
}

/** Creates about ten workspaces a second, sequentially. */
export function startWriter(demo: Demo): Writer {
  const rest = restFor(demo, demo.users.orgAdmin.token);
  const organizationId = demo.organizations[0]?.id;
  const confirmed: string[] = [];
  const stopped = new AbortController();
  let failed = 0;

  const write = async () => {
    const name = `Written ${confirmed.length + failed}`;
    const response = await rest.post("/workspaces", { organizationId, name }).catch(() => undefined);
    if (response !== undefined && response.status < 300) confirmed.push(response.body.id);
    else failed += 1;
  };
  const writing = (async () => {
    while (!stopped.signal.aborted) {
      await write();
      await delay(100, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();

  return {
    confirmed,
    failed: () => failed,
    untilConfirmed: async (deadlineMs) => {
      const began = performance.now();
      // The current request may have succeeded before the fault, so the one after it counts.
      const wanted = confirmed.length + 2;
      while (confirmed.length < wanted) {
        if (performance.now() - began > deadlineMs) throw new Error(`no write was confirmed for ${deadlineMs} ms`);
        await delay(10);
      }
      return Math.round(performance.now() - began);
    },
    stop: async () => {
      stopped.abort();
      await writing;
    },
    lost: async () => {
      const replies = await Promise.all(confirmed.map((id) => rest.get(`/workspaces/${id}`)));
      return confirmed.filter((_, index) => replies[index]?.status !== 200);
    },
  };
}
