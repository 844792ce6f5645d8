import type { RemovedProtection } from "@cloud/testkit";

/** What bounds the work on many rows. */
export const batchControls = {
  /** Promise 29. All old rows are deleted in one transaction. */
  purgeBatches: [
    {
      file: "packages/postgres/src/purge.ts",
      find: "const BATCH = { least: 50, first: 250, most: 1_000 };",
      replace: "const BATCH = { least: 50, first: 1_000_000_000, most: 1_000_000_000 };",
    },
  ],
  /** Promise 30. All records of a kind are deleted in one transaction. */
  deletionBatches: [
    {
      file: "packages/service/src/organizations/delete-organization.ts",
      find: "const BATCH = { least: 20, first: 60, most: 250 };",
      replace: "const BATCH = { least: 20, first: 1_000_000, most: 1_000_000 };",
    },
  ],
  /** Promise 30. Each statement of a transaction waits for the one before it. */
  roundTrips: [
    {
      file: "packages/postgres/src/run-transaction.ts",
      find: "await sendTogether(client, [begin, ...statements, { statement: commit, params: [] }]);",
      replace:
        "for (const one of [begin, ...statements, { statement: commit, params: [] }]) await sendTogether(client, [one]);",
    },
  ],
  /** Promise 30. The event is acknowledged while its records are being deleted. */
  deletionBeforeAck: [
    {
      file: "packages/messaging/src/consumer/delivery.ts",
      find: "if (prepare) await whileUnavailable(context, over, () => prepare(db, received.event));",
      replace: "void prepare?.(db, received.event).catch(() => undefined);",
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;
