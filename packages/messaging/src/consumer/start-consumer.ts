import type { Database } from "@cloud/postgres";
import type { Telemetry } from "@cloud/telemetry";
import type { Delivery, EventTransport } from "../event-transport.ts";
import { messagingMetrics } from "../messaging-metrics.ts";
import { createSlots } from "../slots.ts";
import type { Effect } from "./effect.ts";
import { type HandlerContext, handleDelivery } from "./handle-delivery.ts";

export interface ConsumerOptions {
  db: Database;
  transport: EventTransport;
  /** Those of one name share the work; each event is applied once per name. */
  name: string;
  /** At most one per type of event. */
  effects: readonly Effect[];
  telemetry: Telemetry;
  /** Events applied side by side; each needs a connection of the pool. */
  concurrency?: number;
  /** Only for the controls of tests: what is `false` is left out. */
  protections?: { inbox?: false };
}

/** Applies each event of its effects' types exactly once to the database, from the first event on, for ever. */
export function startConsumer(options: ConsumerOptions): { stop(): Promise<void> } {
  const { db, name, effects, telemetry, transport, concurrency = 16, protections = {} } = options;
  const stopping = new AbortController();
  const slots = createSlots(concurrency);
  const inFlight = new Map<Delivery, Promise<void>>();
  const context: HandlerContext = {
    db,
    consumer: name,
    slots,
    metrics: messagingMetrics(telemetry.metrics),
    log: telemetry.log,
    inbox: protections.inbox !== false,
    stop: stopping.signal,
  };
  const receive = (effect: Effect) => (delivery: Delivery) => {
    const handling = handleDelivery(context, effect, delivery).finally(() => inFlight.delete(delivery));
    inFlight.set(delivery, handling);
  };
  const subscriptions = effects.map((effect) =>
    transport.consume({ durable: durableName(name, effect.subject), subject: effect.subject }, receive(effect)),
  );
  // A third of the time after which the stream would deliver them again.
  const keepAlive = setInterval(() => {
    for (const delivery of inFlight.keys()) delivery.working();
  }, 3000);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(inFlight.values()); // each ends with its present try
      clearInterval(keepAlive);
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
    },
  };
}

/** A durable's name has no dots. */
function durableName(consumer: string, subject: string): string {
  return `${consumer}-${subject.replaceAll(".", "_")}`;
}
