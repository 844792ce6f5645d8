import { type Database, DatabaseUnavailable } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import { readEventHeaders } from "../event-headers.ts";
import type { Delivery } from "../event-transport.ts";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import { backoff, pause } from "../pause.ts";
import type { Slots } from "../slots.ts";
import type { Effect } from "./effect.ts";
import { insertReceived, upsertParkedMessage } from "./inbox-sql.ts";

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

const maxTries = 5;

/**
 * Applies a message, once, and acknowledges it. A fault of the database is waited out and does not count as a try; after 5
 * tries (one, when it cannot be read at all) the message is parked. Gives it back when the consumer stops.
 */
export async function handleDelivery(context: HandlerContext, effect: Effect, delivery: Delivery): Promise<void> {
  const over = AbortSignal.any([context.stop, delivery.session]);
  const labels = { consumer: context.consumer, type: effect.type };
  for (let tries = 1; ; tries++) {
    const outcome = await attempt(context, over, () => applyOnce(context, effect, delivery));
    if (outcome === "done") return delivery.ack();
    if (outcome === "over") return delivery.release();
    if (tries === maxTries || outcome.error instanceof Unreadable) {
      context.log.error({ err: outcome.error, ...labels, tries }, "an event is parked");
      const parked = await attempt(context, over, () => park(context, effect, delivery, outcome.error, tries));
      if (parked === "done") return delivery.ack();
      if (parked !== "over") context.log.error({ err: parked.error, ...labels }, "an event could not be parked");
      return; // delivered again when its time has passed
    }
    context.log.warn({ err: outcome.error, ...labels, tries }, "an event could not be applied; it is tried again");
    context.metrics.retries.inc(labels);
    await pause(backoff(tries, 200, 2000), over);
  }
}

/** Runs `work` in a slot, again and again while the database is unavailable. */
async function attempt(
  { slots, log }: HandlerContext,
  over: AbortSignal,
  work: () => Promise<void>,
): Promise<"done" | "over" | { error: unknown }> {
  for (let faults = 1; ; faults++) {
    const giveBack = await slots.take();
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
  metrics.parked.inc({ consumer, type: effect.type });
}
