import type { Logger } from "@cloud/telemetry";
import type { JsMsg, NatsConnection } from "nats";
import type { Delivery, Subscription } from "../event-transport.ts";
import { pause } from "../pause.ts";
import { createWake } from "../wake.ts";
import type { JetStreamSilence } from "./jetstream-silence.ts";
import type { KeptConnection } from "./keep-connected.ts";
import { createDurableKeeper, type ReportDurable } from "./keep-durable.ts";
import { consumerLimits, ensureStream, streamName } from "./topology.ts";

/** How often a durable's configuration is compared, besides at the start of each session. */
const COMPARE_MS = 10_000;

export interface DurableOptions {
  connection: KeptConnection;
  replicas: number;
  durable: string;
  subject: string;
  onDelivery: (delivery: Delivery) => void;
  report: ReportDurable;
  silence: JetStreamSilence;
  log: Logger;
}

/** Pulls the messages of a durable. Recreates the stream and the durable whenever they are missing. */
export function consumeDurable(options: DurableOptions): Subscription {
  const { connection, durable, subject, report, log } = options;
  const keepDurable = createDurableKeeper(durable, subject, report, log);
  const stopping = new AbortController();
  const wake = createWake();
  let pending: number | undefined;
  const setPending = (count: number | undefined) => {
    pending = count;
  };
  const endChange = connection.onChange(wake.now);
  const run = async () => {
    while (!stopping.signal.aborted) {
      const nc = connection.current();
      if (nc === undefined) {
        await wake.wait();
        continue;
      }
      await pullWhileItExists(nc, options, keepDurable, setPending, stopping.signal).catch((error: unknown) =>
        log.warn({ err: error, durable }, "a consumer lost its stream, its durable or its connection"),
      );
      setPending(undefined);
      await pause(100, stopping.signal);
    }
  };
  const running = run();
  return {
    pending: () => pending,
    stop: async () => {
      stopping.abort();
      endChange();
      wake.now();
      await running;
    },
  };
}

/** Runs one session: returns when the connection, the stream or the durable is lost, or on `stop`. */
async function pullWhileItExists(
  nc: NatsConnection,
  options: DurableOptions,
  keepDurable: ReturnType<typeof createDurableKeeper>,
  setPending: (count: number) => void,
  stop: AbortSignal,
): Promise<void> {
  const { durable, replicas, onDelivery, silence, log } = options;
  const jsm = await nc.jetstreamManager({ checkAPI: false, timeout: 2000 });
  await silence.send(() => ensureStream(jsm, replicas));
  setPending(await silence.send(() => keepDurable(jsm)));
  const consumer = await nc.jetstream().consumers.get(streamName, durable);
  const session = new AbortController();
  const messages = await consumer.consume({
    callback: (message) => {
      setPending(message.info.pending);
      onDelivery(toDelivery(message, session.signal));
    },
    max_messages: consumerLimits.maxAckPending,
    abort_on_missing_resource: true,
    expires: 4000,
    idle_heartbeat: 1000, // after two missed heartbeats the client checks that the durable still exists
  });
  log.info({ durable }, "consuming");
  const stopped = Promise.withResolvers<void>();
  const onStop = () => stopped.resolve();
  stop.addEventListener("abort", onStop, { once: true });
  const comparing = setInterval(() => {
    keepDurable(jsm).then(setPending, (error: unknown) =>
      log.debug({ err: error, durable }, "a durable could not be compared"),
    );
  }, COMPARE_MS);
  if (stop.aborted) onStop();
  try {
    const error = await Promise.race([messages.closed(), nc.closed(), stopped.promise]);
    if (error instanceof Error) throw error;
  } finally {
    clearInterval(comparing);
    stop.removeEventListener("abort", onStop);
    messages.stop();
    session.abort();
  }
}

function toDelivery(message: JsMsg, session: AbortSignal): Delivery {
  // After the session has ended, the same acknowledgement could refer to another message of a recreated stream.
  const send = (reply: () => void) => {
    if (session.aborted) return;
    try {
      reply();
    } catch {
      // The connection is closing: the message will be redelivered.
    }
  };
  return {
    subject: message.subject,
    payload: message.data,
    headers: Object.fromEntries(Array.from(message.headers ?? [], ([name, [value = ""]]) => [name, value])),
    session,
    deliveries: message.info.deliveryCount,
    ack: () => send(() => message.ack()),
    working: () => send(() => message.working()),
    release: () => send(() => message.nak()),
  };
}
