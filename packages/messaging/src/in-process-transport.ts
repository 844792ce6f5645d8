import { randomUUID } from "node:crypto";
import type { Telemetry } from "@cloud/telemetry";
import type { Delivery, EventMessage, EventTransport } from "./event-transport.ts";

interface Subscription {
  subject: string;
  onDelivery: (delivery: Delivery) => void;
  session: AbortController;
}

/**
 * Events handed over within this process, for where there is no NATS. It stores nothing: it acts like a stream that was
 * lost whenever the process starts or a consumer joins, so that relays publish the outboxes again and the inboxes sort
 * out what is new.
 */
export function createInProcessTransport({ log }: Telemetry): EventTransport {
  const subscriptions = new Set<Subscription>();
  let createdAt: string = randomUUID();
  let lastSequence = 0;
  return {
    isConnected: () => true,
    onStatusChange: () => () => undefined,
    readStream: async () => ({ createdAt, lastSequence }),
    publish: async (message) => {
      for (const subscription of subscriptions) {
        if (subscription.subject === message.subject) deliver(message, subscription);
      }
      return ++lastSequence;
    },
    readMessageId: async () => undefined,
    consume: ({ durable, subject }, onDelivery) => {
      const subscription = { subject, onDelivery, session: new AbortController() };
      subscriptions.add(subscription);
      createdAt = randomUUID();
      log.debug({ durable }, "consuming in this process");
      return {
        stop: async () => {
          subscriptions.delete(subscription);
          subscription.session.abort();
        },
      };
    },
  };
}

function deliver({ subject, headers, payload }: EventMessage, { onDelivery, session }: Subscription): void {
  const nothing = () => undefined;
  onDelivery({
    subject,
    headers,
    payload,
    session: session.signal,
    deliveries: 1,
    ack: nothing,
    working: nothing,
    release: nothing,
  });
}
