import { connectToNats } from "@cloud/testkit";
import type { JetStreamManager } from "nats";

/** Runs an operator's manual change, on a connection of its own. */
export async function withJetStream<T>(url: string, work: (jsm: JetStreamManager) => Promise<T>): Promise<T> {
  const nc = await connectToNats(url);
  try {
    return await work(await nc.jetstreamManager());
  } finally {
    await nc.close();
  }
}
