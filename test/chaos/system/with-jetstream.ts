import { connectToNats, waitFor } from "@cloud/testkit";
import type { JetStreamManager } from "nats";
import type { System } from "./start-system.ts";

export const STREAM = "CLOUD_EVENTS";

/** Runs an operator's manual change, on a connection of its own. */
export async function withJetStream<T>({ nats }: System, work: (jsm: JetStreamManager) => Promise<T>): Promise<T> {
  const connection = await connectToNats(nats.url);
  try {
    return await work(await connection.jetstreamManager());
  } finally {
    await connection.close();
  }
}

/** Waits until the relays together have read the stream's state `count` more times, as each does once a second. */
export async function relayChecks({ nats }: System, count: number): Promise<void> {
  const connection = await connectToNats(nats.url);
  let seen = 0;
  connection.subscribe("$JS.API.STREAM.INFO." + STREAM, { callback: () => void seen++ });
  try {
    await waitFor(() => seen >= count || undefined, { deadlineMs: 1000 + 2000 * count });
  } finally {
    await connection.close();
  }
}
