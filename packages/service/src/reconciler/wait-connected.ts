import { setTimeout as delay } from "node:timers/promises";
import type { EventTransport } from "@cloud/messaging";

/**
 * Resolves once the connection to the stream has lasted for `ms` without interruption, counted from now: while events
 * cannot travel, none is missing. Rejects when `stop` is aborted.
 */
export async function waitConnected(
  transport: Pick<EventTransport, "isConnected" | "onStatusChange">,
  ms: number,
  stop: AbortSignal,
): Promise<void> {
  for (;;) {
    const change = new AbortController();
    const signal = AbortSignal.any([stop, change.signal]);
    const endStatus = transport.onStatusChange(() => change.abort());
    try {
      await delay(transport.isConnected() ? ms : A_DAY_MS, undefined, { signal, ref: false });
      if (transport.isConnected()) return;
    } catch (error) {
      if (stop.aborted) throw error;
    } finally {
      endStatus();
    }
  }
}

/** A status change ends the wait sooner. */
const A_DAY_MS = 86_400_000;
