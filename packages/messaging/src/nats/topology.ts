import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
} from "nats";

export const streamName = "CLOUD_EVENTS";

/**
 * The fields that this system requires of its only stream. It keeps every message for 7 days, consumed or not. All
 * other fields (limits, replicas, placement, description…) belong to the operator.
 */
export const streamConfiguration = {
  subjects: ["cloud.v1.>"],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  max_age: nanos(7 * 24 * 3_600_000),
  duplicate_window: nanos(120_000),
  no_ack: false,
  // A full stream rejects new events, which then wait in the outbox, instead of dropping unconsumed ones.
  discard: DiscardPolicy.New,
  max_msgs_per_subject: -1,
};

export type StreamConfiguration = typeof streamConfiguration;

export const consumerLimits = {
  /** How long after the death of a consumer its messages are redelivered to another. */
  ackWaitMs: 10_000,
  /** The most unacknowledged messages of all consumers sharing a durable, including those being retried. */
  maxAckPending: 256,
};

/** Returns the fields that this system requires of a subject's durable. */
export function durableConfiguration(subject: string) {
  return {
    filter_subject: subject, // a single filter: nats-server 2.9 accepts no list
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    replay_policy: ReplayPolicy.Instant,
    ack_wait: nanos(consumerLimits.ackWaitMs),
    max_ack_pending: consumerLimits.maxAckPending,
    max_deliver: -1,
    headers_only: false,
  } satisfies Partial<ConsumerConfig>;
}

export type DurableConfiguration = ReturnType<typeof durableConfiguration>;

/** Creates the stream if it is missing and returns its state. Safe in many processes at once. */
export async function ensureStream(jsm: JetStreamManager, replicas: number) {
  const found = await jsm.streams.info(streamName).catch(undefinedWhenMissing);
  if (found) return found;
  // Concurrent calls with the same configuration all succeed with one stream; only a different one is refused.
  const added = { ...streamConfiguration, name: streamName, num_replicas: replicas };
  return await jsm.streams.add(added).catch(async (error: unknown) => {
    const rival = await jsm.streams.info(streamName).catch(undefinedWhenMissing);
    if (rival) return rival;
    throw error;
  });
}

/** Creates the durable if it is missing; the stream must exist. Safe in many processes at once. */
export async function ensureDurable(jsm: JetStreamManager, durable: string, subject: string) {
  const found = await jsm.consumers.info(streamName, durable).catch(undefinedWhenMissing);
  return found ?? (await jsm.consumers.add(streamName, { ...durableConfiguration(subject), durable_name: durable }));
}

/** For a `catch`: returns undefined if a stream, durable or message does not exist, and rethrows any other error. */
export function undefinedWhenMissing(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}
