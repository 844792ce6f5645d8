import type { Database } from "@cloud/postgres";
import type { Telemetry } from "@cloud/telemetry";
import type { Delivery, EventTransport, OnDelivery } from "../event-transport.ts";
import { type MessagingMetrics, messagingMetrics } from "../messaging-metrics.ts";
import { originalSubject, replaySubject } from "../replay-subject.ts";
import { createSemaphore } from "../semaphore.ts";
import { createBatches } from "./batches.ts";
import type { ConsumerContext } from "./consumer-context.ts";
import { followLag, type Lagging } from "./consumer-lag.ts";
import { durableName, replayDurable } from "./durable-name.ts";
import type { Effect } from "./effect.ts";
import { ENDINGS } from "./ending.ts";
import { followDelivery } from "./follow-delivery.ts";
import { followParked } from "./follow-parked.ts";
import { handleDelivery } from "./handle-delivery.ts";

export interface ConsumerOptions {
  db: Database;
  transport: EventTransport;
  /** Consumers of one name share the work; each event is applied once per name. */
  name: string;
  /** At most one per event type. */
  effects: readonly Effect[];
  telemetry: Telemetry;
  /** Concurrent transactions; each needs a connection of the pool. */
  concurrency?: number;
}

/**
 * Applies each event of its effects' types exactly once to the database, from the first event of the stream on, until
 * it is stopped.
 */
export function startConsumer(options: ConsumerOptions): { stop(): Promise<void> } {
  const { db, name, effects, telemetry, transport, concurrency = 16 } = options;
  const stopping = new AbortController();
  const semaphore = createSemaphore(concurrency);
  const inFlight = new Map<Delivery, Promise<void>>();
  const metrics = messagingMetrics(telemetry.metrics);
  const context: ConsumerContext = {
    db,
    consumer: name,
    semaphore,
    metrics,
    log: telemetry.log,
    endOf: createEnds(stopping.signal),
  };
  const receive = (effect: Effect) => {
    const applyInBatch = createBatches(context, effect);
    countFromZero(metrics, name, effect);
    return (delivery: Delivery) => {
      const handle = () => handleDelivery(context, effect, applyInBatch, delivery);
      const handling = followDelivery(telemetry, metrics, name, effect, delivery, handle).finally(() =>
        inFlight.delete(delivery),
      );
      inFlight.set(delivery, handling);
      return handling;
    };
  };
  const receivers = new Map(effects.map((effect) => [effect.subject, receive(effect)]));
  const receiverOf = ({ subject }: Effect) => receivers.get(subject) as OnDelivery;
  const receiveReplayed = async (delivery: Delivery) => {
    const subject = originalSubject(name, delivery.subject);
    const receiver = receivers.get(subject);
    if (receiver === undefined)
      delivery.ack(); // this release no longer consumes its type
    else await receiver({ ...delivery, subject });
  };
  const waitingHere = (subject: string) => {
    let count = 0;
    for (const delivery of inFlight.keys()) if (delivery.subject === subject) count++;
    return count;
  };
  const consume = (type: string, durable: string, subject: string, receiver: OnDelivery): Lagging => {
    const { pending, stop } = transport.consume({ durable, subject }, receiver);
    return { consumer: name, type, pending, waitingHere: () => waitingHere(subject), stop };
  };
  const subscriptions = [
    ...effects.map((effect) =>
      consume(effect.type, durableName(name, effect.subject), effect.subject, receiverOf(effect)),
    ),
    consume("replayed", replayDurable(name), `${replaySubject(name)}>`, receiveReplayed),
  ];
  const endLag = followLag(telemetry.metrics, subscriptions);
  const parked = followParked({ db, consumer: name, metrics, log: telemetry.log });
  // A third of the time after which the stream would redeliver them.
  const keepAlive = setInterval(() => {
    for (const delivery of inFlight.keys()) delivery.working();
  }, 3000);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(inFlight.values()); // each stops after its current attempt
      clearInterval(keepAlive);
      endLag();
      await Promise.all([parked.stop(), ...subscriptions.map((subscription) => subscription.stop())]);
    },
  };
}

/** An increase from no series to 1 is none for Prometheus. */
function countFromZero(metrics: MessagingMetrics, consumer: string, { type }: Effect): void {
  const { consumed, duplicates, retries, refuted, parked, processed } = metrics;
  for (const counter of [consumed, duplicates, retries, refuted, parked]) counter.inc({ consumer, type }, 0);
  for (const ending of ENDINGS) processed.series(consumer, type, ending);
}

/** Combines `stop` with each session once. For each delivery, it took 2 % of the processor time, besides its garbage. */
function createEnds(stop: AbortSignal): (session: AbortSignal) => AbortSignal {
  const ends = new WeakMap<AbortSignal, AbortSignal>();
  return (session) => {
    const end = ends.get(session) ?? AbortSignal.any([stop, session]);
    ends.set(session, end);
    return end;
  };
}
