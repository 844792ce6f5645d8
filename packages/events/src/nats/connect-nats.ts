import type { Telemetry } from "@cloud/runtime/telemetry";
import { headers, type NatsConnection, type Subscription } from "nats";
import type { EventTransport, SignalSubscription } from "../event-transport.ts";
import { messagingMetrics } from "../messaging-metrics.ts";
import { consumeDurable } from "./consume-durable.ts";
import { createDurableReports } from "./durable.ts";
import { watchJetStream } from "./jetstream-silence.ts";
import type { NatsAccess } from "./nats-access.ts";
import { type Reconnecting, reconnect } from "./reconnect.ts";
import { createStreamReader, streamName } from "./stream.ts";

/**
 * The time limit of a request to JetStream, in milliseconds: a silent JetStream misses three requests before a silent
 * connection would be noticed.
 */
const TIMEOUT_MS = 2000;

export interface NatsOptions extends NatsAccess {
  /** The name of the client, and of its inboxes: the replies that it receives. */
  clientName: string;
  /** Replicas of the stream in a JetStream cluster, applied when it is created: 1, 3 or 5. */
  replicas?: number;
  telemetry: Telemetry;
}

/**
 * Creates a transport over JetStream. Never throws because NATS is down: it connects in the background and retries
 * indefinitely.
 *
 * @throws TypeError if there are several logins
 */
export function connectNats(options: NatsOptions): EventTransport & { close(): Promise<void> } {
  const { replicas = 1, telemetry } = options;
  const connection = reconnect(options, options.clientName, telemetry);
  const { connected: gauge } = messagingMetrics(telemetry.metrics);
  const setGauge = () => gauge.set(connection.current() === undefined ? 0 : 1);
  connection.onChange(setGauge);
  setGauge();
  const send = watchJetStream(connection, telemetry.conditions);
  const readStream = createStreamReader(replicas, telemetry);
  const report = createDurableReports(telemetry);
  const connected = (): NatsConnection => {
    const nc = connection.current();
    if (nc === undefined) throw new Error("NATS is not connected");
    return nc;
  };
  return {
    isConnected: () => connection.current() !== undefined,
    onStatusChange: connection.onChange,
    readStream: async () => {
      const jsm = await connected().jetstreamManager({ checkAPI: false, timeout: TIMEOUT_MS });
      return await send(() => readStream(jsm));
    },
    publish: async ({ id, subject, headers: own, payload }) => {
      const sent = headers();
      for (const [name, value] of Object.entries(own)) sent.append(name, value); // `set` searches all of them twice
      const options = { msgID: id, expect: { streamName }, headers: sent };
      const { seq, duplicate } = await connected()
        .jetstream({ timeout: TIMEOUT_MS })
        .publish(subject, payload, options);
      return { sequence: seq, isNew: !duplicate };
    },
    consume: (source, onDelivery) =>
      consumeDurable({ connection, replicas, source, onDelivery, report, send, log: telemetry.log }),
    signal: (subject) => connection.current()?.publish(subject),
    onSignal: (subject, listener) => listenToSignals(connection, subject, listener, telemetry),
    close: () => connection.close(),
  };
}

/** Subscribes to a subject outside of the stream, again with each connection. */
function listenToSignals(
  connection: Reconnecting,
  subject: string,
  listener: () => void,
  { log }: Pick<Telemetry, "log">,
): SignalSubscription {
  let subscription: Subscription | undefined;
  const subscribe = () => {
    subscription = connection.current()?.subscribe(subject, {
      callback: (error) => {
        if (error === null) return listener();
        subscription = undefined;
        log.warn({ err: error, subject }, "NATS refuses a subscription; see deploy/nats/authorization.conf");
      },
    });
  };
  subscribe();
  const unsubscribe = connection.onChange(subscribe);
  return {
    isHeard: () => subscription?.isClosed() === false,
    stop: () => {
      unsubscribe();
      subscription?.unsubscribe();
    },
  };
}
