import type { Telemetry } from "@cloud/telemetry";
import { headers, type NatsConnection } from "nats";
import type { EventMessage, EventTransport } from "../event-transport.ts";
import { messagingMetrics } from "../messaging-metrics.ts";
import { consumeDurable } from "./consume-durable.ts";
import { keepConnected } from "./keep-connected.ts";
import { ensureStream, stream, undefinedWhenMissing } from "./topology.ts";

export interface NatsOptions {
  /** One server or several, separated by commas. */
  url: string;
  clientName: string;
  /** Copies of the stream in a JetStream cluster, when it is created; 1, 3 or 5. */
  replicas?: number;
  telemetry: Telemetry;
}

/** Events over JetStream. Never throws because NATS is down: it connects in the background, for ever. */
export function connectNats(options: NatsOptions): EventTransport & { close(): Promise<void> } {
  const { replicas = 1, telemetry } = options;
  const connection = keepConnected(options.url, options.clientName, telemetry.log);
  const { connected: gauge } = messagingMetrics(telemetry.metrics);
  const tellConnected = () => gauge.set(connection.current() === undefined ? 0 : 1);
  connection.onChange(tellConnected);
  tellConnected();
  const connected = (): NatsConnection => {
    const nc = connection.current();
    if (nc === undefined) throw new Error("NATS is not connected");
    return nc;
  };
  return {
    isConnected: () => connection.current() !== undefined,
    onStatusChange: connection.onChange,
    readStream: async () => {
      const { created, state } = await ensureStream(await connected().jetstreamManager({ checkAPI: false }), replicas);
      return { createdAt: created, lastSequence: state.last_seq };
    },
    publish: async (message) => publish(connected(), message),
    readMessageId: async (sequence) => readMessageId(connected(), sequence),
    consume: (source, onDelivery) =>
      consumeDurable({ connection, replicas, ...source, onDelivery, log: telemetry.log }),
    close: connection.close,
  };
}

async function publish(nc: NatsConnection, message: EventMessage): Promise<number> {
  const sent = headers();
  for (const [name, value] of Object.entries(message.headers)) sent.set(name, value);
  const { seq } = await nc.jetstream().publish(message.subject, message.payload, {
    msgID: message.id,
    headers: sent,
    expect: { streamName: stream.name },
    timeout: 2000,
  });
  return seq;
}

async function readMessageId(nc: NatsConnection, sequence: number): Promise<string | undefined> {
  const jsm = await nc.jetstreamManager({ checkAPI: false });
  const stored = await jsm.streams.getMessage(stream.name, { seq: sequence }).catch(undefinedWhenMissing);
  return stored?.header.get("Nats-Msg-Id");
}
