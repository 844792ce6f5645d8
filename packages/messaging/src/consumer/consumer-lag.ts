import { Gauge, type Telemetry } from "@cloud/telemetry";
import type { Subscription } from "../event-transport.ts";

/** A subscription whose lag is measured. */
export interface Lagging extends Subscription {
  readonly consumer: string;
  /** Of its events; `replayed` for those that an operator has published again. */
  readonly type: string;
  /** Events that were delivered to this program and are not applied yet. */
  waitingHere(): number;
}

const followed = new WeakMap<Telemetry["metrics"], Set<Lagging>>();

/** Reads how many events wait whenever the metrics are read. Returns the function that ends it. */
export function followLag(metrics: Telemetry["metrics"], subscriptions: readonly Lagging[]): () => void {
  const all = followed.get(metrics) ?? createGauge(metrics);
  for (const one of subscriptions) all.add(one);
  return () => {
    for (const one of subscriptions) all.delete(one);
  };
}

function createGauge(metrics: Telemetry["metrics"]): Set<Lagging> {
  const all = new Set<Lagging>();
  followed.set(metrics, all);
  new Gauge({
    name: "messaging_consumer_lag_messages",
    help: "events not delivered yet, or delivered to this program and not yet applied; absent while NATS is away",
    labelNames: ["consumer", "type"],
    registers: [metrics],
    collect() {
      this.reset();
      for (const { consumer, type, pending, waitingHere } of all) {
        const undelivered = pending();
        if (undelivered !== undefined) this.set({ consumer, type }, undelivered + waitingHere());
      }
    },
  });
  return all;
}
