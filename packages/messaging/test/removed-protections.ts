import type { RemovedProtection } from "@cloud/testkit";

const RELAY = "packages/messaging/src/relay/";

/** Replaces the term that respects another relay's lease. */
export const leaseTerm = (replace: string): RemovedProtection[] => [
  {
    file: RELAY + "outbox-sql.ts",
    find: "and (claimed_until is null or claimed_until not between now() and now() + interval '11 seconds')",
    replace,
  },
];

/** The relay does not check for events that the stream has lost. */
export const rewind: RemovedProtection[] = [
  {
    file: RELAY + "relay.ts",
    find: "const lost = await unpublishLostEvents(db, stream, backlog.lastPublication);",
    replace: "const lost = 0;",
  },
];

/** The relay checks only events published before now, by the clock. */
export const publicationOrder: RemovedProtection[] = [
  {
    file: RELAY + "outbox-sql.ts",
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
];

/**
 * The events of a batch that failed are not applied one by one: not at once, nor at later attempts, nor after a fault of the
 * database. Attempts follow without a pause: after one, events would be ready at different times, and meet others by chance.
 */
export const oneByOne: RemovedProtection[] = [
  {
    file: "packages/messaging/src/consumer/batches.ts",
    find: "const failsAlone = batch.length > 1 && !(error instanceof DatabaseUnavailable);",
    replace: "const failsAlone = false; void DatabaseUnavailable;",
  },
  {
    file: "packages/messaging/src/consumer/delivery.ts",
    find: "if (tries === 1) {",
    replace: "for (;;) {",
  },
  {
    file: "packages/messaging/src/consumer/delivery.ts",
    find: "await pause(backoff(tries, 200, 2000), over);",
    replace: "",
  },
];
