import type { Delivery } from "../event-transport.ts";
import { backoff, pause } from "../pause.ts";
import { applyEvent } from "./apply-event.ts";
import { attempt, type Outcome, resultOf } from "./attempt.ts";
import type { ApplyInBatch } from "./batches.ts";
import type { ConsumerContext } from "./consumer-context.ts";
import type { Effect, Received } from "./effect.ts";
import type { Ending } from "./ending.ts";
import type { Handling } from "./handling.ts";
import { maxTries } from "./max-tries.ts";
import { type Parking, parkAndAck } from "./park-message.ts";
import { readEvent } from "./read-event.ts";
import { refuseEvent } from "./refuse-event.ts";
import { EndsTheProcess, isSuspect, runOnRecord } from "./suspect.ts";
import { Unreadable } from "./unreadable.ts";
import { verifyEvent } from "./verify-event.ts";

/**
 * Applies a message once and acknowledges it. While the database, or the owner that has to confirm the event, is
 * unavailable, it waits, and this does not count as an attempt. Parks a message that fails 5 times, crashes the process
 * as often, cannot be read, or reports a deletion that its owner does not confirm. Releases the message when the
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
    const isFinal = error instanceof EndsTheProcess || error instanceof Unreadable || tries === maxTries;
    if (isFinal) {
      return await parkAndAck(handling, {
        reason: "failed",
        error,
        tries: error instanceof EndsTheProcess ? maxTries : tries,
      });
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
    const received = isSuspect(delivery) ? await readOnRecord(handling) : readEvent(effect, delivery);
    if (received === "over") return "over";
    const verdict = await verifyEvent(context, effect, received.event, labels, over);
    if (verdict === "over") return "over";
    if (verdict !== "confirmed") return await refuseEvent(handling, received, verdict);
    if ((await prepareEvent(handling, received.event)) === "over") return "over";
    return await applyEvent(handling, received, tries);
  } catch (error) {
    return { error };
  }
}

/** Not on record: a long work makes progress in each attempt, even if the process ends five times meanwhile. */
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

async function readOnRecord({ context, effect, delivery, over }: Handling): Promise<Received<unknown> | "over"> {
  const read = () => runOnRecord(context, delivery, "read", async () => readEvent(effect, delivery));
  return resultOf(await attempt(context, over, context.semaphore.runAlone, read));
}
