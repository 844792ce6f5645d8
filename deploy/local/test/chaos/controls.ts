import type { RemovedProtection } from "@cloud/testkit";

/**
 * What the controls of the runs take out of the real programs, each a place in the source. A test holds that each is
 * still found there: a change of the source that moves a protection must move it here too.
 */
export const controls = {
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
} satisfies Record<string, readonly RemovedProtection[]>;

export type Protection = keyof typeof controls;
