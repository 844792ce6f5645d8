import { expect, test } from "@jest/globals";
import { waitConnected } from "./start-reconciler.ts";

/** A connection that the test makes and breaks. */
function connection(connected: boolean) {
  const listeners = new Set<() => void>();
  const set = (next: boolean) => {
    connected = next;
    for (const listener of listeners) listener();
  };
  const transport = {
    isConnected: () => connected,
    onStatusChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { transport, set, listeners };
}

const never = new AbortController().signal;

test("counts from when the connection is made, and restarts after each interruption", async () => {
  const { transport, set, listeners } = connection(false);
  let isOver = false;
  const waiting = waitConnected(transport, 100, never).then(() => {
    isOver = true;
  });
  await waitConnected(connection(true).transport, 150, never);
  expect(isOver).toBe(false);

  set(true);
  await waitConnected(connection(true).transport, 60, never);
  set(false);
  set(true);
  await waitConnected(connection(true).transport, 60, never);
  expect(isOver).toBe(false);

  await waiting;
  expect(listeners.size).toBe(0);
});

test("ends with the stop, connected or not", async () => {
  for (const connected of [true, false]) {
    const stop = new AbortController();
    const waiting = waitConnected(connection(connected).transport, 60_000, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toThrow("aborted");
  }
});
