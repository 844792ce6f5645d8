import { connectToNats } from "@cloud/testkit";
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
