import { headers, type Msg } from "nats";
import type { Random } from "../random.ts";
import { connectToNats } from "../start-test-nats.ts";

interface Duplicator {
  /** Number of copies stored so far. */
  copies(): number;
  /** Publishes the remaining copies, and stops. */
  stop(): Promise<void>;
}

/** Marks a copy, so that it is not copied again. */
const MARK = "Test-Copy";

/**
 * Publishes every message of the subjects again, `copies` times, out of order: a copy waits until there are `window` of
 * them, or `longestMs` milliseconds. Copies carry no `Nats-Msg-Id`, as if the stream's duplicate window had passed.
 */
export async function startDuplicator(options: {
  natsUrl: string;
  subjects: string;
  copies: number;
  window: number;
  longestMs: number;
  random: Random;
}): Promise<Duplicator> {
  const { copies, window, longestMs, random } = options;
  const connection = await connectToNats(options.natsUrl, { name: "duplicator" });
  const waiting: Msg[] = [];
  const storing = new Set<Promise<unknown>>();
  let stored = 0;

  const flush = () => {
    for (const message of random.shuffle(waiting.splice(0))) {
      const copy = headers();
      for (const name of message.headers?.keys() ?? []) {
        if (!name.startsWith("Nats-")) copy.set(name, message.headers?.get(name) ?? "");
      }
      copy.set(MARK, "1");
      const storingOne = connection
        .jetstream()
        .publish(message.subject, message.data, { headers: copy })
        .then(() => stored++)
        .finally(() => storing.delete(storingOne));
      storing.add(storingOne);
      storingOne.catch(() => undefined); // reported by `stop`
    }
  };

  const subscription = connection.subscribe(options.subjects, {
    callback: (_error, message) => {
      if (message.headers?.has(MARK)) return;
      for (let copy = 0; copy < copies; copy++) waiting.push(message);
      if (waiting.length >= window) flush();
    },
  });
  await connection.flush();
  const timer = setInterval(flush, longestMs);
  return {
    copies: () => stored,
    stop: async () => {
      clearInterval(timer);
      await subscription.drain();
      flush();
      await Promise.all(storing);
      await connection.close();
    },
  };
}
