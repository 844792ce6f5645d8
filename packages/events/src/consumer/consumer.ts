import type { Database } from "@cloud/postgres";
import { createSemaphore } from "@cloud/runtime/limits";
import { correlate, type Telemetry } from "@cloud/runtime/telemetry";
import { durablesOf, originalSubject, readEventCorrelation } from "../envelope.ts";
import type { Delivery, EventTransport, OnDelivery } from "../event-transport.ts";
import { type MessagingMetrics, messagingMetrics } from "../messaging-metrics.ts";
import { createBatches } from "./batches.ts";
import { type DeliveryContext, ENDINGS, type Ending, handleDelivery } from "./delivery.ts";
import type { Effect } from "./effect.ts";
import { followParked } from "./parking.ts";

export interface ConsumerOptions {
  db: Database;
  transport: EventTransport;
  /** Consumers of one name share the work; each event is applied once per name. */
  name: string;
  /** The effects, at most one per event type. */
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
  const { db, name: consumer, effects, telemetry, transport, concurrency = 16 } = options;
  const { log } = telemetry;
  const stopping = new AbortController();
  const { signal } = stopping;
  const semaphore = createSemaphore({ max: concurrency });
  const inFlight = new Map<Delivery, Promise<void>>();
  const metrics = messagingMetrics(telemetry.metrics);
  const receive = (effect: Effect): OnDelivery => {
    const labels = { consumer, type: effect.type };
    const applyInBatch = createBatches(db, consumer, effect, semaphore);
    const context = { db, consumer, effect, applyInBatch, semaphore, metrics, labels, log };
    countFromZero(metrics, labels);
    return (delivery) => {
      const handle = () => handleDelivery(context, delivery);
      const handling = followDelivery(telemetry, context, delivery, handle).finally(() => inFlight.delete(delivery));
      inFlight.set(delivery, handling);
      return handling;
    };
  };
  const receivers = new Map(effects.map((effect) => [effect.subject, receive(effect)]));
  const receiveReplayed: OnDelivery = async (delivery) => {
    const subject = originalSubject(consumer, delivery.subject);
    const receiver = receivers.get(subject);
    if (receiver === undefined)
      delivery.ack(); // this release no longer consumes its type
    else await receiver({ ...delivery, subject });
  };
  const subjects = effects.map(({ subject }) => subject);
  const subscriptions = durablesOf(consumer, subjects).map(({ durable, subject }, index) => {
    const labels = { consumer, type: effects[index]?.type ?? "replayed" };
    const { pending, stop } = transport.consume(
      { durable, subject, signal },
      receivers.get(subject) ?? receiveReplayed,
    );
    const measureLag = () => {
      const undelivered = pending();
      if (undelivered === undefined) return metrics.lag.remove(labels);
      const here = [...inFlight.keys()].filter((delivery) => delivery.subject === subject).length;
      metrics.lag.set(labels, undelivered + here);
    };
    return { stop, measureLag };
  });
  const following = followParked(db, consumer, metrics, log, signal);
  // A third of the time after which the stream would redeliver them.
  const keepAlive = setInterval(() => {
    for (const delivery of inFlight.keys()) delivery.working();
    for (const { measureLag } of subscriptions) measureLag();
  }, 3000); // protects: keep-alive
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(inFlight.values()); // each stops after its current attempt
      clearInterval(keepAlive);
      await Promise.all([following, ...subscriptions.map((subscription) => subscription.stop())]);
    },
  };
}

/**
 * Handles a message for the request that caused it: the lines, calls and events of its effect have the id of that
 * request. Measures the handling, logs an applied event in the access log, and reports each handling as a span while
 * tracing is on.
 */
async function followDelivery(
  { access, tracing }: Telemetry,
  { consumer, effect: { type, subject }, metrics }: DeliveryContext,
  { headers }: Delivery,
  handle: () => Promise<Ending>,
): Promise<void> {
  const cause = readEventCorrelation(headers);
  const eventId = headers["ce-id"] ?? "";
  const span = tracing?.start(`process ${type}`, "consumer", cause, {
    "messaging.system": "nats",
    "messaging.operation.type": "process",
    "messaging.destination.name": subject,
    "messaging.message.id": eventId.slice(0, 100),
    ...(cause && { "cloud.request_id": cause.requestId }),
  });
  const correlation = span?.correlation ?? cause;
  const startedAt = performance.now();
  const ending = await correlate(correlation, handle);
  const ms = performance.now() - startedAt;
  metrics.processed.observe({ consumer, type, outcome: ending }, ms / 1_000);
  span?.end({ "cloud.ending": ending }, ending === "parked" ? ending : undefined);
  if (access === undefined || cause === undefined || correlation === undefined || ending !== "applied") return;
  access.writeEvent({ correlation, consumer, type, eventId, ms });
}

/** Creates each series with 0. For Prometheus, a series that begins with 1 shows no increase. */
function countFromZero(metrics: MessagingMetrics, labels: DeliveryContext["labels"]): void {
  const { consumed, duplicates, retries, refuted, parked, processed } = metrics;
  for (const counter of [consumed, duplicates, retries, refuted, parked]) counter.inc(labels, 0);
  for (const outcome of ENDINGS) processed.zero({ ...labels, outcome });
}
