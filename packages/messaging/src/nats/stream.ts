import type { Telemetry } from "@cloud/telemetry";
import { DiscardPolicy, type JetStreamManager, NatsError, nanos, RetentionPolicy, StorageType } from "nats";
import type { StreamState } from "../event-transport.ts";
import { createConfigurationKeeper } from "./keep-configuration.ts";

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

/** For a `catch`: returns undefined if a stream, durable or message does not exist, and rethrows any other error. */
export function undefinedWhenMissing(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}

const CONDITION = "stream-configuration";

/**
 * Creates the reader of the stream's state. It creates the stream if it is missing and keeps its configuration. While a
 * difference cannot be corrected, the condition `stream-configuration` is raised.
 */
export function createStreamReader(replicas: number, { conditions, log }: Telemetry) {
  const keepConfiguration = createConfigurationKeeper<StreamConfiguration>({
    what: `the stream ${streamName}`,
    expected: streamConfiguration,
    fixed: ["retention", "storage"],
    log,
    report: (message) => (message === undefined ? conditions.clear(CONDITION) : conditions.raise(CONDITION, message)),
  });
  /** Raised, for example, if a stream of another name has the same subjects. */
  const raiseRefusal = (error: unknown): never => {
    if (error instanceof NatsError && error.isJetStreamError() && error.api_error?.code !== 503) {
      conditions.raise(CONDITION, `the stream ${streamName} cannot be created: ${error.message}`);
    }
    throw error;
  };

  return async (jsm: JetStreamManager): Promise<StreamState> => {
    const { created, config, state } = await ensureStream(jsm, replicas).catch(raiseRefusal);
    await keepConfiguration(config as StreamConfiguration, async (changes) => {
      const updated = await jsm.streams.update(streamName, changes as Partial<typeof config>);
      return updated.config as StreamConfiguration;
    });
    return { createdAt: created, lastSequence: state.last_seq };
  };
}
