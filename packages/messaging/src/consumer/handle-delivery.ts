import type { Delivery } from "../event-transport.ts";
import { backoff, pause } from "../pause.ts";
import { applyEvent } from "./apply-event.ts";
import { attempt, type Outcome, resultOf } from "./attempt.ts";
import type { ApplyInBatch } from "./batches.ts";
import type { ConsumerContext } from "./consumer-context.ts";
import type { Effect } from "./effect.ts";
import type { Ending } from "./ending.ts";
import type { Handling } from "./handling.ts";
import { MAX_DELIVERIES, MAX_LONG_DELIVERIES, maxTries } from "./max-tries.ts";
import { type Parking, parkAndAck } from "./park-message.ts";
import { readEvent } from "./read-event.ts";
import { refuseEvent } from "./refuse-event.ts";
import { Unreadable } from "./unreadable.ts";
import { verifyEvent } from "./verify-event.ts";

/**
 * Applies a message once and acknowledges it. While the database, or the owner that has to confirm the event, is
 * unavailable, it waits, and this does not count as an attempt. Parks a message that fails 5 times, crashes the process
 * ten times, cannot be read, or reports a deletion that its owner does not confirm. Releases the message when the
 * consumer stops.
 */
export async function handleDelivery(
  context: ConsumerContext,
  effect: Effect,
  applyInBatch: ApplyInBatch,
  delivery: Delivery,
): Promise<Ending> {
  const over = context.endOf(delivery.session);
  const labels = { consumer: context.consumer, type: effect.type };
  const handling: Handling = { context, effect, applyInBatch, delivery, over, labels };
  for (let tries = 1; ; tries++) {
    const outcome = await tryOnce(handling, tries);
    if (outcome === "over") {
      delivery.release();
      return "released";
    }
    if ("result" in outcome) {
      const parking = outcome.result;
      if (parking !== undefined) return await parkAndAck(handling, parking);
      delivery.ack();
      return "applied";
    }
    const { error } = outcome;
    if (error instanceof Unreadable || tries === maxTries) {
      return await parkAndAck(handling, { reason: "failed", error, tries });
    }
    context.log.warn({ err: error, ...labels, tries }, "an event could not be applied; it is tried again");
    context.metrics.retries.inc(labels);
    await pause(backoff(tries, 200, 2000), over);
  }
}

/**
 * Reads, verifies and applies the message. The result is undefined if that succeeded, otherwise how to park the
 * message.
 */
async function tryOnce(handling: Handling, tries: number): Promise<Outcome<Parking | undefined>> {
  const { context, effect, delivery, over, labels } = handling;
  try {
    const { deliveries } = delivery;
    if (deliveries >= (effect.prepare ? MAX_LONG_DELIVERIES : MAX_DELIVERIES)) {
      return await refuseEvent(handling, { reason: "failed", error: UNACKNOWLEDGED, tries: deliveries });
    }
    const received = readEvent(effect, delivery);
    const verdict = await verifyEvent(context, effect, received.event, labels, over);
    if (verdict === "over") return "over";
    if (verdict !== "confirmed") {
      return await refuseEvent(handling, { reason: verdict, error: REFUSALS[verdict], tries: 1 });
    }
    if ((await prepareEvent(handling, received.event)) === "over") return "over";
    return await applyEvent(handling, received, tries);
  } catch (error) {
    return { error };
  }
}

async function prepareEvent({ context, effect, over }: Handling, event: unknown): Promise<"over" | undefined> {
  const { prepare } = effect;
  if (prepare === undefined) return undefined;
  return resultOf(
    await attempt(
      context,
      over,
      (work) => work(),
      () => prepare(context.db, event).then(() => undefined),
    ),
  );
}

const UNACKNOWLEDGED = "the process ended, or lost its connection to NATS, in each attempt to apply it";

const REFUSALS = {
  refuted: "the owner of the record reports that it exists",
  unknown: "the owner has no such record",
};
