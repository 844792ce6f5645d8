import type { Logger } from "@cloud/telemetry";
import type { JsMsg, NatsConnection } from "nats";
import type { Delivery } from "../event-transport.ts";
import { pause } from "../pause.ts";
import { createWake } from "../wake.ts";
import type { KeptConnection } from "./keep-connected.ts";
import { consumerLimits, ensureDurable, ensureStream, stream } from "./topology.ts";

export interface DurableOptions {
  connection: KeptConnection;
  replicas: number;
  durable: string;
  subject: string;
  onDelivery: (delivery: Delivery) => void;
  log: Logger;
}

/** Pulls the messages of a durable; makes stream and durable again whenever they are gone. */
export function consumeDurable(options: DurableOptions): { stop(): Promise<void> } {
  const { connection, durable, log } = options;
  const stopping = new AbortController();
  const wake = createWake();
  const endChange = connection.onChange(wake.now);
  const run = async () => {
    while (!stopping.signal.aborted) {
      const nc = connection.current();
      if (nc === undefined) {
        await wake.wait();
        continue;
      }
      await pullWhileItExists(nc, options, stopping.signal).catch((error: unknown) =>
        log.warn({ err: error, durable }, "a consumer lost its stream, its durable or its connection"),
      );
      await pause(100, stopping.signal);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      endChange();
      wake.now();
      await running;
    },
  };
}

/** One session: returns when the connection, the stream or the durable is gone, or on `stop`. */
async function pullWhileItExists(nc: NatsConnection, options: DurableOptions, stop: AbortSignal): Promise<void> {
  const { durable, subject, replicas, onDelivery, log } = options;
  const jsm = await nc.jetstreamManager({ checkAPI: false });
  await ensureStream(jsm, replicas);
  await ensureDurable(jsm, durable, subject);
  const consumer = await nc.jetstream().consumers.get(stream.name, durable);
  const session = new AbortController();
  const messages = await consumer.consume({
    callback: (message) => onDelivery(toDelivery(message, session.signal)),
    max_messages: consumerLimits.maxAckPending,
    abort_on_missing_resource: true,
    expires: 4000,
    idle_heartbeat: 1000, // two missed ones make the client look whether the durable is still there
  });
  log.info({ durable }, "consuming");
  const stopped = Promise.withResolvers<void>();
  const onStop = () => stopped.resolve();
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) onStop();
  try {
    const error = await Promise.race([messages.closed(), nc.closed(), stopped.promise]);
    if (error instanceof Error) throw error;
  } finally {
    stop.removeEventListener("abort", onStop);
    messages.stop();
    session.abort();
  }
}

function toDelivery(message: JsMsg, session: AbortSignal): Delivery {
  // In a session that is over, the same acknowledgement could mean another message of a stream made anew.
  const send = (reply: () => void) => {
    if (session.aborted) return;
    try {
      reply();
    } catch {
      // The connection is closing: the message will be delivered again.
    }
  };
  return {
    subject: message.subject,
    payload: message.data,
    headers: Object.fromEntries((message.headers?.keys() ?? []).map((key) => [key, message.headers?.get(key) ?? ""])),
    session,
    deliveries: message.info.deliveryCount,
    ack: () => send(() => message.ack()),
    working: () => send(() => message.working()),
    release: () => send(() => message.nak()),
  };
}
