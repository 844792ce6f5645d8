import type { JetStreamManager } from "nats";
import type { Effect } from "../consumer/effect.ts";
import { durablesOf } from "../subjects.ts";
import { type NatsAccess, openConnection, parseAccess } from "./nats-access.ts";
import { streamName, undefinedWhenMissing } from "./stream.ts";

export interface RewindOptions {
  readonly nats: NatsAccess;
  /** The service, which is the name of its consumer. */
  readonly consumer: string;
  readonly effects: readonly Pick<Effect, "subject">[];
  /** Only counts. */
  readonly dryRun: boolean;
}

export interface Rewound {
  readonly durable: string;
  /** The events of the stream that were delivered before, and are delivered again. */
  readonly again: number;
}

/**
 * Deletes the durables of a consumer. Its programs create them again, and receive all events that the stream has, of 7
 * days; inboxes skip those that were applied.
 *
 * @throws NatsError if NATS cannot be reached, or refuses
 */
export async function rewindConsumer({ nats, consumer, effects, dryRun }: RewindOptions): Promise<Rewound[]> {
  const connection = await openConnection(parseAccess(nats), consumer);
  try {
    const jsm = await connection.jetstreamManager({ checkAPI: false, timeout: 2000 });
    const rewound: Rewound[] = [];
    const subjects = effects.map(({ subject }) => subject);
    for (const { durable, subject } of durablesOf(consumer, subjects)) {
      rewound.push({ durable, again: await countDelivered(jsm, durable, subject) });
      if (!dryRun) await jsm.consumers.delete(streamName, durable).catch(undefinedWhenMissing);
    }
    return rewound;
  } finally {
    await connection.close();
  }
}

async function countDelivered(jsm: JetStreamManager, durable: string, subject: string): Promise<number> {
  const info = await jsm.consumers.info(streamName, durable).catch(undefinedWhenMissing);
  if (info === undefined) return 0;
  const { state } = await jsm.streams.info(streamName, { subjects_filter: subject });
  const stored = Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  return Math.max(0, stored - info.num_pending);
}
