import type { Telemetry } from "@cloud/telemetry";
import { AckPolicy, type ConsumerConfig, DeliverPolicy, type JetStreamManager, nanos, ReplayPolicy } from "nats";
import { createConfigurationKeeper } from "./keep-configuration.ts";
import { streamName, undefinedWhenMissing } from "./stream.ts";

export const consumerLimits = {
  /** How long after the death of a consumer its messages are redelivered to another. */
  ackWaitMs: 10_000, // protects: ack-wait
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

/** Creates the durable if it is missing; the stream must exist. Safe in many processes at once. */
async function ensureDurable(jsm: JetStreamManager, durable: string, subject: string) {
  const found = await jsm.consumers.info(streamName, durable).catch(undefinedWhenMissing);
  return found ?? (await jsm.consumers.add(streamName, { ...durableConfiguration(subject), durable_name: durable }));
}

/**
 * While one of these fields is wrong, a durable skips messages, and correcting it does not bring them back. So the
 * durable is deleted and created again, and delivers all messages from the first. Inboxes ignore those already applied.
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
 */
export function createDurableKeeper(
  durable: string,
  subject: string,
  report: ReportDurable,
  log: Telemetry["log"],
): (jsm: JetStreamManager) => Promise<number> {
  const keepConfiguration = createConfigurationKeeper<DurableConfiguration>({
    what: `the durable ${durable}`,
    expected: durableConfiguration(subject),
    fixed: ["ack_policy", "deliver_policy", "replay_policy"],
    log,
    report: (message) => report(durable, message),
  });
  return async (jsm) => {
    const { config, num_pending: pending } = await ensureDurable(jsm, durable, subject);
    await keepConfiguration(config as DurableConfiguration, async (changes) => {
      if (SKIPPING.some((field) => field in changes)) {
        await jsm.consumers.delete(streamName, durable).catch(undefinedWhenMissing);
        return (await ensureDurable(jsm, durable, subject)).config as DurableConfiguration;
      }
      const updated = await jsm.consumers.update(streamName, durable, changes);
      return updated.config as DurableConfiguration;
    });
    return pending;
  };
}
