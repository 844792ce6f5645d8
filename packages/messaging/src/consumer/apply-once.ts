import type { Database } from "@cloud/postgres";
import type { Effect, Received } from "./effect.ts";
import { insertReceived } from "./inbox-sql.ts";

/**
 * Applies an effect in the transaction that records its events. Returns for each event whether it was new; events that
 * the consumer has already applied are skipped.
 */
export function applyOnce(
  db: Database,
  consumer: string,
  effect: Effect,
  events: readonly Received<unknown>[],
): Promise<boolean[]> {
  return db.withTransaction(async (tx) => {
    const ids = await insertReceived(
      tx,
      consumer,
      events.map(({ envelope }) => envelope.id),
    );
    const isNew = events.map(({ envelope }) => ids.delete(envelope.id)); // of two copies in one batch, only the first is new
    const received = events.filter((_, index) => isNew[index]);
    if (received.length > 0) await effect.apply(tx, received);
    return isNew;
  });
}
