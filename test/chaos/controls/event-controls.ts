import type { RemovedProtection } from "@cloud/testkit";

/** What keeps events from being lost, applied twice or held up. */
export const eventControls = {
  /**
   * Promise 1. Events are published by the request, outside of its transaction; an event that NATS does not accept is
   * lost.
   */
  outbox: [
    {
      file: "packages/messaging/src/append-event.ts",
      find: "  return [{ statement: insertAndNotify, params: [eventSubject(schema), schema.typeName, payloads, headers] }];",
      replace: `
        void [headers, insertAndNotify];
        void import("../../../test/chaos/ledger/publish-from-request.ts").then(async ({ publishFromRequest }) => {
          for (const payload of payloads) await publishFromRequest(eventSubject(schema), schema.typeName, payload);
        });
        return [];`,
    },
  ],
  /** Promise 31. A watch reads what is visible, although what is before it may become visible later. */
  finalLines: [
    {
      file: "services/workspace/src/watches/watch-sql.ts",
      find: `
      and xact < \${horizon}
    order by activity_events.xact, activity_events.id
    limit $3`,
      replace: `
    order by activity_events.xact, activity_events.id
    limit $3`,
    },
  ],
  /** The relay does not check for events that the stream has lost. */
  rewind: [
    {
      file: "packages/messaging/src/relay/relay.ts",
      find: "const lost = await unpublishLostEvents(db, stream, backlog.lastPublication);",
      replace: "const lost = 0;",
    },
  ],
  /** Promise 24. A lease lasts until the clock reaches its end. */
  leaseLength: [
    {
      file: "packages/messaging/src/relay/outbox-sql.ts",
      find: "claimed_until not between now() and now() + interval '11 seconds'",
      replace: "claimed_until < now()",
    },
  ],
  /** Promise 24. Events published later than now, by the clock, are not checked in a new stream. */
  publicationOrder: [
    {
      file: "packages/messaging/src/relay/outbox-sql.ts",
      find: `        and coalesce(publication, 0) <= $3
      order by stream_created_at desc, stream_sequence desc
      limit 500
      for update skip locked
    ) earlier_stamp`,
      replace: `            and coalesce(publication, 0) <= $3
            and published_at < now()
          order by stream_created_at desc, stream_sequence desc
          limit 500
          for update skip locked
        ) earlier_stamp`,
    },
  ],
  /** Promise 26. A stream or durable is used as it is. */
  configuration: [
    {
      file: "packages/messaging/src/nats/keep-configuration.ts",
      find: "const present = await tryUpdate(actual, update);",
      replace: "const present = actual; void tryUpdate; void update; if (present) return present;",
    },
  ],
  /** Promise 27. A JetStream that does not respond is not detected. */
  jetStreamSilence: [
    {
      file: "packages/messaging/src/nats/jetstream-silence.ts",
      find: 'if (connection.current() !== undefined) conditions.raise("jetstream-silent", MESSAGE);',
      replace: "",
    },
  ],
  /** A consumer does not record what it has applied. */
  inbox: [
    {
      file: "packages/messaging/src/consumer/batches.ts",
      find: "const received = events.filter((_, index) => isNew[index]);",
      replace: "const received = events;",
    },
  ],
  /** A commit does not wake the relay: it polls once a second. */
  notify: [
    {
      file: "packages/messaging/src/relay/relay.ts",
      find: "onNotification: wake.now,",
      replace: "onNotification: () => undefined,",
    },
  ],
  /** Not a protection: unacknowledged messages are redelivered after 1 s, so that a run takes seconds. */
  ackWait: [
    {
      file: "packages/messaging/src/nats/durable.ts",
      find: "ackWaitMs: 10_000,",
      replace: "ackWaitMs: 1_000,",
    },
    {
      file: "packages/messaging/src/consumer/consumer.ts",
      find: "}, 3000);",
      replace: "}, 300);",
    },
  ],
  /** Promise 25. A message is parked at its third delivery. */
  deliveries: [
    {
      file: "packages/messaging/src/consumer/delivery.ts",
      find: "const MAX_DELIVERIES = 10;",
      replace: "const MAX_DELIVERIES = 3;",
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;
