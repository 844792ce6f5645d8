import { AckPolicy, DeliverPolicy, type JetStreamManager, NatsError, nanos, RetentionPolicy, StorageType } from "nats";

/** The one stream of this system. It keeps every message for 7 days, whether it was consumed or not. */
export const stream = {
  name: "CLOUD_EVENTS",
  subjects: ["cloud.v1.>"],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  max_age: nanos(7 * 24 * 3_600_000),
  duplicate_window: nanos(120_000),
};

export const consumerLimits = {
  /** How long after the death of a consumer its messages go to another. */
  ackWaitMs: 10_000,
  /** Messages that may be in the hands of all who share a durable; those that are being retried count. */
  maxAckPending: 256,
};

/** Creates the stream when it is missing; answers its state. Safe in many processes at once. */
export async function ensureStream(jsm: JetStreamManager, replicas: number) {
  const found = await jsm.streams.info(stream.name).catch(undefinedWhenMissing);
  if (found) return found;
  // Of several who add the same stream, all succeed with one stream; only another configuration is refused.
  return await jsm.streams.add({ ...stream, num_replicas: replicas }).catch(async (error: unknown) => {
    const rival = await jsm.streams.info(stream.name).catch(undefinedWhenMissing);
    if (rival) return rival;
    throw error;
  });
}

/** Creates the durable when it is missing; the stream must exist. Safe in many processes at once. */
export async function ensureDurable(jsm: JetStreamManager, durable: string, subject: string): Promise<void> {
  const found = await jsm.consumers.info(stream.name, durable).catch(undefinedWhenMissing);
  if (found) return;
  await jsm.consumers.add(stream.name, {
    durable_name: durable,
    filter_subject: subject, // one only: nats-server 2.9 knows no list of filters
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(consumerLimits.ackWaitMs),
    max_ack_pending: consumerLimits.maxAckPending,
    max_deliver: -1,
  });
}

/** For a `catch`: a stream, a durable or a message that is not there is no error. */
export function undefinedWhenMissing(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}
