import type { Telemetry } from "@cloud/runtime/telemetry";
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  type JetStreamManager,
  nanos,
  ReplayPolicy,
} from "nats";
import type { Effect } from "../consumer/effect.ts";
import { durablesOf } from "../envelope.ts";
import { type NatsAccess, openConnection, parseAccess } from "./nats-access.ts";
import { createConfigurationSync, streamName, undefinedWhenMissing } from "./stream.ts";

export const consumerLimits = {
  /** Milliseconds after the death of a consumer until its messages are redelivered to another. */
  ackWaitMs: 10_000, // protects: ack-wait
  /** The most unacknowledged messages of all consumers sharing a durable, including those being retried. */
  maxAckPending: 256,
};

/** Returns the fields that this system requires of a subject's durable. */
function durableConfiguration(subject: string) {
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

type DurableConfiguration = ReturnType<typeof durableConfiguration>;

/** Creates the durable if it is missing; the stream must exist. Safe in many processes at once. */
async function ensureDurable(jsm: JetStreamManager, durable: string, subject: string) {
  const found = await jsm.consumers.info(streamName, durable).catch(undefinedWhenMissing);
  return found ?? (await jsm.consumers.add(streamName, { ...durableConfiguration(subject), durable_name: durable }));
}

/**
 * The fields that make a durable skip messages while they are wrong; correcting them does not bring the messages back.
 * So the durable is deleted and created again, and delivers all messages from the first. Inboxes ignore events that
 * were already applied.
 */
const SKIPPING: readonly (keyof DurableConfiguration)[] = ["filter_subject", "max_deliver", "headers_only"];

const CONDITION = "consumer-configuration";

/** Collects the durables of a process whose configuration cannot be corrected into one condition. */
export function createDurableReports({ conditions }: Telemetry) {
  const messages = new Map<string, string>();
  return (durable: string, message: string | undefined): void => {
    if (message === undefined) messages.delete(durable);
    else messages.set(durable, message);
    if (messages.size === 0) conditions.clear(CONDITION);
    else conditions.raise(CONDITION, [...messages.values()].sort().join("; "));
  };
}

export type ReportDurable = ReturnType<typeof createDurableReports>;

/**
 * Creates the function that creates a durable if it is missing and keeps its configuration. It returns the number of
 * messages that were not delivered yet.
 *
 * A stream that loses its end, for example in a crash of its machine, does not take back its durables: they deliver none
 * of the new messages until the stream is as long as it was. So a durable beyond the end is deleted and created again,
 * too.
 */
export function createDurableSync(
  durable: string,
  subject: string,
  report: ReportDurable,
  log: Telemetry["log"],
): (jsm: JetStreamManager) => Promise<number> {
  const syncConfiguration = createConfigurationSync<DurableConfiguration>({
    what: `the durable ${durable}`,
    expected: durableConfiguration(subject),
    fixed: ["ack_policy", "deliver_policy", "replay_policy"],
    log,
    report: (message) => report(durable, message),
  });
  const recreate = async (jsm: JetStreamManager) => {
    await jsm.consumers.delete(streamName, durable).catch(undefinedWhenMissing);
    return await ensureDurable(jsm, durable, subject);
  };
  const replaceIfBeyond = async (jsm: JetStreamManager, info: ConsumerInfo) => {
    const { state } = await jsm.streams.info(streamName); // after the durable's own, since the stream grows
    const { stream_seq: delivered } = info.delivered;
    if (delivered <= state.last_seq) return info;
    log.warn({ durable, delivered, last: state.last_seq }, "a durable is beyond the end of its stream: it is replaced");
    return await recreate(jsm);
  };
  return async (jsm) => {
    const { config, num_pending: pending } = await replaceIfBeyond(jsm, await ensureDurable(jsm, durable, subject));
    await syncConfiguration(config as DurableConfiguration, async (changes) => {
      if (SKIPPING.some((field) => field in changes)) return (await recreate(jsm)).config as DurableConfiguration;
      const updated = await jsm.consumers.update(streamName, durable, changes);
      return updated.config as DurableConfiguration;
    });
    return pending;
  };
}

export interface RewindOptions {
  readonly nats: NatsAccess;
  /** The service, which is the name of its consumer. */
  readonly consumer: string;
  readonly effects: readonly Pick<Effect, "subject">[];
  /** Whether only to count. */
  readonly dryRun: boolean;
}

interface Rewound {
  readonly durable: string;
  /** The events of the stream that were delivered before, and are delivered again. */
  readonly again: number;
}

/**
 * Deletes the durables of a consumer. Its programs create them again, and receive all events that the stream has, of 7
 * days; inboxes skip the events that were applied.
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
