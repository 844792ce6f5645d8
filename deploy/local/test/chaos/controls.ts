import type { RemovedProtection } from "@cloud/testkit";

/**
 * What the controls of the runs take out of the real programs, each a place in the source. A test holds that each is
 * still found there: a change of the source that moves a protection must move it here too.
 */
export const controls = {
  /** Promise 1. Events are published by the request, beside its transaction; what NATS does not take is given up. */
  outbox: [
    {
      file: "packages/messaging/src/append-event.ts",
      find: "await tx.query(insertAndNotify, [eventSubject(schema), schema.typeName, payload, JSON.stringify(context)]);",
      replace: `
        const { publishFromRequest } = await import("../../../deploy/local/test/chaos/publish-from-request.ts");
        void context;
        await publishFromRequest(eventSubject(schema), schema.typeName, payload);`,
    },
  ],
  /** The relay does not look for what the stream has lost. */
  rewind: [
    {
      file: "packages/messaging/src/relay/check-outbox.ts",
      find: "let lost = rewind ? 1 : 0;",
      replace: "let lost = 0;",
    },
  ],
  /** A consumer does not remember what it has applied. */
  inbox: [
    {
      file: "packages/messaging/src/consumer/handle-delivery.ts",
      find: "if (received || !inbox) await apply(tx, envelope);",
      replace: "await apply(tx, envelope);",
    },
  ],
  /** The relay is not woken by a commit: it looks once a second. */
  notify: [
    {
      file: "packages/messaging/src/relay/start-relay.ts",
      find: "onNotification: wake.now,",
      replace: "onNotification: () => undefined,",
    },
  ],
  /** Promise 15. The reconciler's grace counts also while NATS is down. */
  connectedGrace: [
    {
      file: "packages/service/src/reconciler/wait-connected.ts",
      find: "delay(transport.isConnected() ? ms : A_DAY_MS, undefined, { signal, ref: false });",
      replace: "delay(ms, undefined, { signal: stop, ref: false }); return;",
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;

export type Protection = keyof typeof controls;
