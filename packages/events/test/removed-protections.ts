import type { RemovedProtection } from "@cloud/testkit";

/** A lease lasts until the clock reaches its end. */
export const leaseLength: RemovedProtection[] = [
  { marker: "lease-length", instead: "and (claimed_until is null or claimed_until < now())" },
];

/** The relay does not check for events that the stream has lost. */
export const rewind: RemovedProtection[] = [{ marker: "rewind", instead: "const lost = 0;" }];

/** The relay checks only events published before now, by the clock. */
export const publicationOrder: RemovedProtection[] = [
  { marker: "publication-order", instead: "and coalesce(publication, 0) <= $3 and published_at < now()" },
];

/**
 * The events of a batch that failed are not applied one by one: not at once, nor at later attempts, nor after a fault
 * of the database. Attempts follow without a pause: after one, events would be ready at different times, and meet
 * others by chance.
 */
export const oneByOne: RemovedProtection[] = [
  { marker: "failed-batch", instead: "const failsAlone = false;" },
  { marker: "later-attempts", instead: "for (;;) {" },
  { marker: "pause-between-attempts" },
];
