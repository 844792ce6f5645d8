import type { Logger } from "@cloud/runtime/telemetry";
import type { Consumer, JsMsg, NatsConnection } from "nats";
import type { Delivery, OnDelivery, Source, Subscription } from "../event-transport.ts";
import { createWake, pause } from "../pause.ts";
import { consumerLimits, createDurableSync, type ReportDurable } from "./durable.ts";
import type { SendToJetStream } from "./jetstream-silence.ts";
import type { Reconnecting } from "./reconnect.ts";
import { ensureStream, streamName } from "./stream.ts";

interface DurableOptions {
  connection: Reconnecting;
  replicas: number;
  source: Source;
  onDelivery: OnDelivery;
  report: ReportDurable;
  send: SendToJetStream;
  log: Logger;
}

/**
 * Pulls the messages of a durable. Recreates the stream and the durable whenever they are missing.
 *
 * A process that starts takes one message at a time until none is left that may have ended the process before it: all
 * that a process holds when it ends are delivered once more, and only the one at fault shall reach the limit of
 * deliveries.
 */
export function consumeDurable(options: DurableOptions): Subscription {
  const { connection, report, log } = options;
  const { durable, subject } = options.source;
  const start = { isOver: false };
  const ensureDurable = createDurableSync(durable, subject, report, log);
  const stopping = new AbortController();
  const wake = createWake();
  let pending: number | undefined;
  const setPending = (count: number | undefined) => {
    pending = count;
  };
  const unsubscribe = connection.onChange(wake.now);
  const run = async () => {
    while (!stopping.signal.aborted) {
      const nc = connection.current();
      if (nc === undefined) {
        await wake.wait();
        continue;
      }
      await pullWhileItExists(nc, options, ensureDurable, setPending, stopping.signal, start).catch((error: unknown) =>
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
      unsubscribe();
      wake.now();
      await running;
    },
  };
}

/** Runs one session: returns when the connection, the stream or the durable is lost, or on `stop`. */
async function pullWhileItExists(
  nc: NatsConnection,
  options: DurableOptions,
  ensureDurable: ReturnType<typeof createDurableSync>,
  setPending: (count: number) => void,
  stop: AbortSignal,
  start: { isOver: boolean },
): Promise<void> {
  const { replicas, onDelivery, send, log } = options;
  const { durable, signal } = options.source;
  const jsm = await nc.jetstreamManager({ checkAPI: false, timeout: 2000 });
  await send(() => ensureStream(jsm, replicas));
  setPending(await send(() => ensureDurable(jsm)));
  const consumer = await nc.jetstream().consumers.get(streamName, durable);
  log.info({ durable }, "consuming");
  const session = new AbortController();
  const ended = AbortSignal.any([stop, session.signal]);
  // Combined once for all its deliveries: for each of them, it took 2 % of the processor time, besides its garbage.
  const handlingIsOver = AbortSignal.any([signal, session.signal]);
  void nc.closed().then(() => session.abort());
  const comparing = setInterval(() => {
    ensureDurable(jsm).then(setPending, (error: unknown) =>
      log.debug({ err: error, durable }, "a durable could not be compared"),
    );
  }, COMPARE_MS);
  const take = (message: JsMsg) => {
    setPending(message.info.pending);
    return onDelivery(toDelivery(message, session.signal, handlingIsOver));
  };
  try {
    if (!start.isOver) start.isOver = await takeOneByOne(consumer, take, ended); // protects: one-by-one
    if (ended.aborted) return;
    const messages = await consumer.consume({
      callback: (message) => void take(message),
      max_messages: consumerLimits.maxAckPending,
      abort_on_missing_resource: true,
      expires: 4000,
      idle_heartbeat: 1000, // after two missed heartbeats the client checks that the durable still exists
    });
    ended.addEventListener("abort", () => messages.stop(), { once: true });
    if (ended.aborted) messages.stop();
    const error = await Promise.race([messages.closed(), nc.closed()]);
    if (error instanceof Error) throw error;
  } finally {
    clearInterval(comparing);
    session.abort();
  }
}

/** Milliseconds between two comparisons of a durable's configuration, besides the one at the start of each session. */
const COMPARE_MS = 10_000;

/**
 * Takes the next message when the one before is handled, until none waits for an acknowledgement of a process that may
 * have ended. Returns whether it came to that.
 */
async function takeOneByOne(
  consumer: Consumer,
  take: (message: JsMsg) => Promise<void>,
  ended: AbortSignal,
): Promise<boolean> {
  const redeliveredBy = performance.now() + consumerLimits.ackWaitMs;
  while (!ended.aborted) {
    const { num_redelivered: redelivered, num_ack_pending: held } = await consumer.info();
    if (redelivered === 0 && (held === 0 || performance.now() > redeliveredBy)) return true;
    const message = await consumer.next({ expires: 1000 });
    if (message !== null) await take(message);
  }
  return false;
}

function toDelivery(message: JsMsg, session: AbortSignal, signal: AbortSignal): Delivery {
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
    signal,
    deliveries: message.info.deliveryCount,
    ack: () => send(() => message.ack()),
    working: () => send(() => message.working()),
    release: () => send(() => message.nak()),
  };
}
