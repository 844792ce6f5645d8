import { type Database, DatabaseUnavailable } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import { readEventHeaders } from "../event-headers.ts";
import type { Delivery } from "../event-transport.ts";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import { backoff, pause } from "../pause.ts";
import type { Slots } from "../slots.ts";
import { deleteBegunTries } from "./begun-tries-sql.ts";
import type { Effect } from "./effect.ts";
import { insertReceived, upsertParkedMessage } from "./inbox-sql.ts";
import { maxTries } from "./max-tries.ts";
import { EndsTheProcess, isSuspect, noteTry } from "./suspect.ts";

export interface HandlerContext {
  db: Database;
  consumer: string;
  /** Held only while a try runs: a message that waits for its next try holds up no other. */
  slots: Slots;
  metrics: MessagingMetrics;
  log: Logger;
  /** False only in the control of a test. */
  inbox: boolean;
  stop: AbortSignal;
}

/**
 * Applies a message, once, and acknowledges it. A fault of the database is waited out and does not count as a try; after 5
 * tries (one, when it cannot be read at all) the message is parked, also when each ended the process. Gives it back when
 * the consumer stops.
 */
export async function handleDelivery(context: HandlerContext, effect: Effect, delivery: Delivery): Promise<void> {
  const over = AbortSignal.any([context.stop, delivery.session]);
  const labels = { consumer: context.consumer, type: effect.type };
  const apply = isSuspect(delivery) ? applyOnRecord() : applyOnce;
  for (let tries = 1; ; tries++) {
    const outcome = await attempt(context, delivery, over, () => apply(context, effect, delivery));
    if (outcome === "done") return delivery.ack();
    if (outcome === "over") return delivery.release();
    if (outcome.error instanceof EndsTheProcess) tries = maxTries;
    if (tries === maxTries || outcome.error instanceof Unreadable) {
      context.log.error({ err: outcome.error, ...labels, tries }, "an event is parked");
      const parked = await attempt(context, delivery, over, () =>
        park(context, effect, delivery, outcome.error, tries),
      );
      if (parked === "done") return delivery.ack();
      if (parked !== "over") context.log.error({ err: parked.error, ...labels }, "an event could not be parked");
      return; // delivered again when its time has passed
    }
    context.log.warn({ err: outcome.error, ...labels, tries }, "an event could not be applied; it is tried again");
    context.metrics.retries.inc(labels);
    await pause(backoff(tries, 200, 2000), over);
  }
}

/** Runs `work` in a slot, or for a suspect in all of them, again and again while the database is unavailable. */
async function attempt(
  { slots, log }: HandlerContext,
  delivery: Delivery,
  over: AbortSignal,
  work: () => Promise<void>,
): Promise<"done" | "over" | { error: unknown }> {
  for (let faults = 1; ; faults++) {
    const giveBack = await (isSuspect(delivery) ? slots.takeAll() : slots.take());
    try {
      if (over.aborted) return "over";
      await work();
      return "done";
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) return { error };
      log.debug({ err: error, faults }, "an event waits for the database");
    } finally {
      giveBack();
    }
    await pause(backoff(faults, 50, 1000), over);
  }
}

class Unreadable extends Error {}

async function applyOnce({ db, consumer, inbox, metrics }: HandlerContext, effect: Effect, delivery: Delivery) {
  const { apply, envelope } = read(effect, delivery);
  const isNew = await db.withTransaction(async (tx) => {
    const received = await insertReceived(tx, consumer, envelope.id);
    if (received || !inbox) await apply(tx, envelope);
    return received;
  });
  (isNew ? metrics.consumed : metrics.duplicates).inc({ consumer, type: effect.type });
}

/** The try is on record while it runs, and only then; a fault of the database in between makes it no second try. */
function applyOnRecord(): typeof applyOnce {
  let onRecord = false;
  return async (context, effect, delivery) => {
    const { db, consumer } = context;
    const id = delivery.headers["ce-id"] ?? ""; // to read the rest may be what ends the process
    if (!onRecord) await noteTry(db, consumer, id);
    onRecord = true;
    try {
      await applyOnce(context, effect, delivery);
    } finally {
      await deleteBegunTries(db, consumer, id);
      onRecord = false;
    }
  };
}

function read(effect: Effect, delivery: Delivery) {
  try {
    return { apply: effect.prepare(delivery.payload), envelope: readEventHeaders(delivery.headers, effect.type) };
  } catch (error) {
    throw new Unreadable("the message cannot be read", { cause: error });
  }
}

async function park(context: HandlerContext, effect: Effect, delivery: Delivery, error: unknown, tries: number) {
  const { consumer, db, metrics } = context;
  const { subject, headers, payload } = delivery;
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const eventId = headers["ce-id"];
  await upsertParkedMessage(db, { consumer, subject, eventId, headers, payload, error: String(reason), tries });
  if (error instanceof EndsTheProcess) await deleteBegunTries(db, consumer, eventId ?? ""); // a replay tries again
  metrics.parked.inc({ consumer, type: effect.type });
}
