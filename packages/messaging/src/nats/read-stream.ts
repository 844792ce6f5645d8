import type { Telemetry } from "@cloud/telemetry";
import { type JetStreamManager, NatsError } from "nats";
import type { StreamState } from "../event-transport.ts";
import { createConfigurationKeeper } from "./keep-configuration.ts";
import { ensureStream, type StreamConfiguration, streamConfiguration, streamName } from "./topology.ts";

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
