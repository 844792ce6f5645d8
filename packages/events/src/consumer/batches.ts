import { type Database, DatabaseUnavailable } from "@cloud/postgres";
import type { Semaphore } from "@cloud/runtime/limits";
import { type Correlation, correlate, currentCorrelation, joinCorrelations } from "@cloud/runtime/telemetry";
import type { DecodedEvent, Effect } from "./effect.ts";
import { insertReceived } from "./inbox-sql.ts";

/**
 * Applies an event, with others if some are ready. Returns whether it was new.
 *
 * @throws if `signal` is aborted before it is applied, or what the effect throws
 */
export type ApplyInBatch = (received: DecodedEvent<unknown>, signal: AbortSignal) => Promise<boolean>;

interface Waiting {
  readonly received: DecodedEvent<unknown>;
  /** The request that caused the event. */
  readonly correlation: Correlation | undefined;
  readonly signal: AbortSignal;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Applies events of one effect together: all that are ready when a permit is free, in one transaction. A single event
 * is applied immediately. When a transaction fails, each of its events is applied alone, so that only the faulty ones
 * fail; when the database does not respond in time, all of them are rejected, and their callers retry them alone.
 */
export function createBatches(db: Database, consumer: string, effect: Effect, semaphore: Semaphore): ApplyInBatch {
  const waiting: Waiting[] = [];
  let isDue = false;

  const applyNext = async () => {
    isDue = true;
    const release = await semaphore.acquire();
    const batch = waiting.splice(0, effect.max);
    isDue = false;
    if (waiting.length > 0) void applyNext();
    await applyAll(batch.filter(isStillWanted)).finally(release);
  };

  const applyAll = async (batch: readonly Waiting[]): Promise<void> => {
    if (batch.length === 0) return;
    try {
      const received = batch.map((one) => one.received);
      const correlation = joinCorrelations(batch.map((one) => one.correlation));
      const isNew = await correlate(correlation, () => applyOnce(db, consumer, effect, received));
      for (const [index, { resolve }] of batch.entries()) resolve(isNew[index] === true);
    } catch (error) {
      const failsAlone = batch.length > 1 && !(error instanceof DatabaseUnavailable); // protects: failed-batch
      if (failsAlone) for (const one of batch) await applyAll([one]);
      else for (const { reject } of batch) reject(error);
    }
  };

  return (received, signal) =>
    new Promise((resolve, reject) => {
      waiting.push({ received, correlation: currentCorrelation(), signal, resolve, reject });
      if (!isDue) void applyNext();
    });
}

function isStillWanted({ signal, reject }: Waiting): boolean {
  if (signal.aborted) reject(signal.reason);
  return !signal.aborted;
}

/**
 * Applies an effect in the transaction that records its events. Returns for each event whether it was new; events that
 * the consumer has already applied are skipped.
 */
export function applyOnce(
  db: Database,
  consumer: string,
  effect: Effect,
  events: readonly DecodedEvent<unknown>[],
): Promise<boolean[]> {
  return db.transaction(async (tx) => {
    const ids = await insertReceived(
      tx,
      consumer,
      events.map(({ envelope }) => envelope.id),
    );
    // If a batch has two copies of an event, only the first is new.
    const isNew = events.map(({ envelope }) => ids.delete(envelope.id));
    const received = events.filter((_, index) => isNew[index]); // protects: inbox-once
    if (received.length > 0) await effect.apply(tx, received);
    return isNew;
  });
}
