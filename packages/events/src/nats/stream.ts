import { describeError } from "@cloud/runtime";
import type { Logger, Telemetry } from "@cloud/runtime/telemetry";
import { DiscardPolicy, type JetStreamManager, NatsError, nanos, RetentionPolicy, StorageType } from "nats";
import type { StreamState } from "../event-transport.ts";

export const streamName = "CLOUD_EVENTS";

/**
 * The fields that this system requires of its only stream. It keeps every message for 7 days, consumed or not. All
 * other fields (limits, replicas, placement, description…) belong to the operator.
 */
const streamConfiguration = {
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

type StreamConfiguration = typeof streamConfiguration;

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

/** Returns undefined if a stream, durable or message does not exist, and rethrows any other error: for a `catch`. */
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
  const syncConfiguration = createConfigurationSync<StreamConfiguration>({
    what: `the stream ${streamName}`,
    expected: streamConfiguration,
    fixed: ["retention", "storage"],
    log,
    report: (message) => (message === undefined ? conditions.clear(CONDITION) : conditions.raise(CONDITION, message)),
  });
  /** Raises the condition, for example if a stream of another name has the same subjects. */
  const raiseRefusal = (error: unknown): never => {
    if (error instanceof NatsError && error.isJetStreamError() && error.api_error?.code !== 503) {
      conditions.raise(CONDITION, `the stream ${streamName} cannot be created: ${error.message}`);
    }
    throw error;
  };

  return async (jsm: JetStreamManager): Promise<StreamState> => {
    const { created, config, state } = await ensureStream(jsm, replicas).catch(raiseRefusal);
    await syncConfiguration(config as StreamConfiguration, async (changes) => {
      const updated = await jsm.streams.update(streamName, changes as Partial<typeof config>);
      return updated.config as StreamConfiguration;
    });
    return { createdAt: created, lastSequence: state.last_seq };
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The configuration of a stream or durable, which other processes and operators also change. */
interface KeptConfiguration<Expected extends Fields> {
  /** The name in messages, such as `the stream CLOUD_EVENTS`. */
  readonly what: string;
  readonly expected: Expected;
  /** Fields that NATS refuses to update. */
  readonly fixed: readonly (keyof Expected)[];
  readonly log: Logger;
  /** Called with the difference that cannot be corrected, or with undefined when everything matches. */
  readonly report: (message: string | undefined) => void;
}

/** Compares the configuration, corrects by `update` what differs and can be updated, and returns the result. */
type KeepConfiguration<Expected extends Fields> = (
  actual: Expected,
  update: (changes: Partial<Expected>) => Promise<Expected>,
) => Promise<Expected>;

/**
 * The most updates that each process makes within 10 minutes. Without this limit, two releases with different
 * expectations would revert each other's update once a second for as long as both run.
 */
const MAX_UPDATES = 10;
const UPDATE_RETURNS_MS = 600_000;

/**
 * Creates a `KeepConfiguration`. It is safe in many processes at once: all update to the same values, and the last one
 * wins. An update that the server refused is not repeated until the difference changes. Never throws: a configuration
 * that cannot be corrected is used as it is, and reported.
 */
export function createConfigurationSync<Expected extends Fields>({
  what,
  expected,
  fixed,
  log,
  report,
}: KeptConfiguration<Expected>): KeepConfiguration<Expected> {
  let updatesLeft = MAX_UPDATES;
  let failure = { differences: "", reason: "", isFinal: false };

  const tryUpdate: KeepConfiguration<Expected> = async (actual, update) => {
    const differing = differingFields(expected, actual);
    const changeable = Object.entries(differing).filter(([field]) => !fixed.includes(field));
    const differences = describeDifferences(differing, actual);
    const isRefused = failure.isFinal && failure.differences === differences;
    if (changeable.length === 0 || isRefused || updatesLeft === 0) return actual;
    updatesLeft--;
    setTimeout(() => updatesLeft++, UPDATE_RETURNS_MS).unref();
    try {
      const updated = await update(Object.fromEntries(changeable) as Partial<Expected>);
      log.warn({ what, differences }, "the configuration was corrected");
      return updated;
    } catch (error) {
      const isFinal = error instanceof NatsError && error.isJetStreamError();
      const reason = `; the update ${isFinal ? "is refused" : "failed"}: ${describeError(error)}`;
      failure = { differences, reason, isFinal };
      return actual;
    }
  };

  return async (actual, update) => {
    const present = await tryUpdate(actual, update); // protects: stream-configuration
    const differing = differingFields(expected, present);
    if (Object.keys(differing).length === 0) {
      failure = { differences: "", reason: "", isFinal: false };
      report(undefined);
      return present;
    }
    const differences = describeDifferences(differing, present);
    const reason = differences === failure.differences ? failure.reason : "";
    report(`${what} has another configuration: ${differences}${reason}; ${REMEDY}`);
    return present;
  };
}

const REMEDY = "correct it, or delete it: it is created again, and nothing is lost";

/**
 * Returns the fields of `expected` that differ in `actual`. A field that the server omits counts as false, empty or 0.
 */
export function differingFields<Expected extends Fields>(expected: Expected, actual: Fields): Partial<Expected> {
  const differing = Object.entries(expected).filter(([field, value]) => !isSame(value, actual[field]));
  return Object.fromEntries(differing) as Partial<Expected>;
}

/** Describes all differences, such as `storage is "memory" instead of "file"`. Durations are in nanoseconds. */
export function describeDifferences(expected: Fields, actual: Fields): string {
  const parts = Object.keys(expected).map(
    (field) => `${field} is ${JSON.stringify(actual[field]) ?? "absent"} instead of ${JSON.stringify(expected[field])}`,
  );
  return parts.join(", ");
}

function isSame(expected: unknown, actual: unknown): boolean {
  if (actual === undefined) return expected === false || expected === 0;
  return JSON.stringify(expected) === JSON.stringify(actual);
}
