import { DatabaseUnavailable } from "@cloud/postgres";
import type { Semaphore } from "@cloud/runtime/limits";
import type { Logger } from "@cloud/runtime/telemetry";
import type { Delivery } from "../event-transport.ts";
import { backoff, pause } from "../pause.ts";
import { type ApplyInBatch, applyOnce } from "./batches.ts";
import { type DecodedEvent, type Effect, readEvent, Unreadable, type Verdict } from "./effect.ts";
import { type Parking, selectIsReceived } from "./inbox-sql.ts";
import { type ParkingContext, parkMessage } from "./parking.ts";

/*
 * A delivery is in one of these states:
 *
 * - reading: its headers and payload are decoded. A message that cannot be read, or is delivered for the tenth time, is
 *   parked instead.
 * - verifying: the owner of the record is asked until it replies. A deletion that it does not confirm is parked.
 * - preparing: what would take too long for one transaction is done, in several.
 * - applying: the effect and the inbox row are one transaction, with other events first, alone in later attempts.
 * - failed: an attempt threw. It is repeated from the beginning, after 200 ms to 2 s; after five the message is parked.
 *
 * and ends as one of
 *
 * - applied: acknowledged, now or by an earlier delivery.
 * - parked: stored with the reason, and acknowledged.
 * - released: to be delivered again, since the consumer stops, the session ended, or the message could not be parked.
 *
 * While the database is unavailable it stays in its state, and this does not count as an attempt.
 */
export const ENDINGS = ["applied", "parked", "released"] as const;

export type Ending = (typeof ENDINGS)[number];

/** The failed attempts after which a message is parked. */
const MAX_TRIES = 5;

/**
 * The delivery by NATS at which a message is parked without an attempt. Each process that ends while it handles the
 * message costs a delivery; so does a connection to NATS that is lost meanwhile, and a program that is stopped.
 */
const MAX_DELIVERIES = 10; // protects: most-deliveries

/**
 * The delivery at which a message is parked if its effect prepares: that may take minutes, and makes progress in each
 * delivery.
 */
const MAX_LONG_DELIVERIES = 100;

/** Limits warnings about an owner that does not reply to about one a minute per event. */
const WARN_EVERY = 12;

/** State shared by all deliveries of one effect of a consumer. */
export interface DeliveryContext extends ParkingContext {
  readonly effect: Effect;
  readonly applyInBatch: ApplyInBatch;
  /** Held only while a step runs, so that a message waiting for its next attempt delays no other. */
  readonly semaphore: Semaphore;
  readonly log: Logger;
}

/** Brings a delivery to its end. */
export async function handleDelivery(context: DeliveryContext, delivery: Delivery): Promise<Ending> {
  const { labels, log } = context;
  const { signal } = delivery;
  try {
    const parking = await applyOrRefuse(context, delivery);
    if (parking !== undefined) {
      log.error({ err: parking.error, ...labels, reason: parking.reason, tries: parking.tries }, "an event is parked");
      await withPermit(context, signal, () => parkMessage(context, delivery, parking));
    }
    delivery.ack();
    return parking === undefined ? "applied" : "parked";
  } catch (error) {
    if (signal.aborted) delivery.release();
    else log.error({ err: error, ...labels }, "an event could not be parked; it will be delivered again");
    return "released";
  }
}

/** Returns how to park the message, or undefined once it is applied. @throws once the delivery is over */
async function applyOrRefuse(context: DeliveryContext, delivery: Delivery): Promise<Parking | undefined> {
  const { labels, metrics, log } = context;
  const { signal } = delivery;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(context, delivery, tries);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Unreadable || tries === MAX_TRIES) return { reason: "failed", error, tries };
      log.warn({ err: error, ...labels, tries }, "an event could not be applied; it is tried again");
      metrics.retries.inc(labels);
      await pause(backoff(tries, 200, 2000), signal); // protects: pause-between-attempts
    }
  }
}

async function attempt(context: DeliveryContext, delivery: Delivery, tries: number): Promise<Parking | undefined> {
  const { db, effect, metrics, labels } = context;
  const { prepare } = effect;
  const { deliveries, signal } = delivery;
  if (deliveries >= (prepare ? MAX_LONG_DELIVERIES : MAX_DELIVERIES)) {
    return await refuse(context, delivery, { reason: "failed", error: UNACKNOWLEDGED, tries: deliveries });
  }
  const received = readEvent(effect, delivery);
  const verdict = await verify(context, received.event, signal);
  if (verdict !== "confirmed") {
    return await refuse(context, delivery, { reason: verdict, error: REFUSALS[verdict], tries: 1 });
  }
  if (prepare) await whileUnavailable(context, signal, () => prepare(db, received.event)); // protects: prepare-before-ack
  const isNew = await apply(context, received, signal, tries);
  (isNew ? metrics.consumed : metrics.duplicates).inc(labels);
  return undefined;
}

/**
 * Batches the first attempt with other events. Later attempts run alone, because a failing event fails its whole batch,
 * and one that waits for a lock makes its whole batch wait. Returns whether the event was new.
 */
async function apply(
  context: DeliveryContext,
  received: DecodedEvent<unknown>,
  signal: AbortSignal,
  tries: number,
): Promise<boolean> {
  const { db, consumer, effect, applyInBatch } = context;
  // protects: later-attempts
  if (tries === 1) {
    try {
      return await applyInBatch(received, signal);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
  }
  const [isNew] = await withPermit(context, signal, () => applyOnce(db, consumer, effect, [received]));
  return isNew === true;
}

const UNACKNOWLEDGED = "the process ended, or lost its connection to NATS, in each attempt to apply it";

const REFUSALS = {
  refuted: "the owner of the record reports that it exists",
  unknown: "the owner has no such record",
};

/**
 * Asks the owner until it replies. Holds no permit meanwhile, so an unresponsive owner delays only the events about its
 * own records.
 *
 * @throws Unreadable if the event contains no record id
 */
async function verify({ effect, labels, log }: DeliveryContext, event: unknown, signal: AbortSignal): Promise<Verdict> {
  for (let faults = 1; ; faults++) {
    signal.throwIfAborted();
    try {
      return await effect.verify(event);
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      const level = faults % WARN_EVERY === 1 ? "warn" : "debug"; // hundreds of events may be waiting at once
      log[level]({ err: error, ...labels, faults }, "an event waits for the owner of its record");
    }
    await pause(backoff(faults, 100, 5000), signal);
  }
}

/**
 * Returns `parking`, unless the event was applied before: a restored owner may refute such an event, and the connection
 * may have been lost before each acknowledgement. Then it is a duplicate, and is not parked.
 */
async function refuse(
  context: DeliveryContext,
  { headers, signal }: Delivery,
  parking: Parking,
): Promise<Parking | undefined> {
  const { db, consumer, metrics, labels } = context;
  const isReceived = await withPermit(context, signal, () => selectIsReceived(db, consumer, headers["ce-id"] ?? ""));
  if (isReceived) metrics.duplicates.inc(labels);
  return isReceived ? undefined : parking;
}

/** Runs work that needs a connection, as `whileUnavailable` does, while holding a permit. */
function withPermit<T>(context: DeliveryContext, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return whileUnavailable(context, signal, () => context.semaphore.run(work, { signal }));
}

/**
 * Runs work, and repeats it while the database is unavailable.
 *
 * @throws once `signal` is aborted, or what `work` throws
 */
async function whileUnavailable<T>({ log }: DeliveryContext, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let faults = 1; ; faults++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      log.debug({ err: error, faults }, "an event waits for the database");
    }
    await pause(backoff(faults, 50, 1000), signal);
  }
}
