import { randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import type { EventMessage, EventTransport, OnDelivery } from "@cloud/events";
import type { Telemetry } from "@cloud/runtime/telemetry";

interface Subscription {
  subject: string;
  onDelivery: OnDelivery;
  signal: AbortSignal;
}

/**
 * Delivers events within this process, for machines without NATS. It stores nothing: it behaves like a stream that is
 * lost whenever the process starts or a consumer joins, so relays publish the outboxes again and inboxes filter the
 * duplicates.
 */
export function createInProcessTransport({ log }: Telemetry): EventTransport {
  const subscriptions = new Set<Subscription>();
  const signals = new EventEmitter();
  let createdAt: string = randomUUID();
  let lastSequence = 0;
  return {
    isConnected: () => true,
    onStatusChange: () => () => undefined,
    readStream: async () => ({ createdAt, lastSequence }),
    publish: async (message) => {
      for (const subscription of subscriptions) {
        if (matches(subscription.subject, message.subject)) deliver(message, subscription);
      }
      return { sequence: ++lastSequence, isNew: true };
    },
    consume: ({ durable, subject, signal }, onDelivery) => {
      const subscription = { subject, onDelivery, signal };
      subscriptions.add(subscription);
      createdAt = randomUUID();
      log.debug({ durable }, "consuming in this process");
      return {
        pending: () => 0,
        stop: async () => {
          subscriptions.delete(subscription);
        },
      };
    },
    signal: (subject) => void signals.emit(subject),
    onSignal: (subject, listener) => {
      signals.on(subject, listener);
      return { isHeard: () => true, stop: () => void signals.off(subject, listener) };
    },
  };
}

/** Returns whether a filter matches. One that ends with `>` matches every subject that begins with the rest of it. */
function matches(filter: string, subject: string): boolean {
  return filter.endsWith(">") ? subject.startsWith(filter.slice(0, -1)) : subject === filter;
}

function deliver({ subject, headers, payload }: EventMessage, { onDelivery, signal }: Subscription): void {
  const nothing = () => undefined;
  void onDelivery({
    subject,
    headers,
    payload,
    signal,
    deliveries: 1,
    ack: nothing,
    working: nothing,
    release: nothing,
  });
}
