import type { Delivery } from "../event-transport.ts";
import { attempt } from "./attempt.ts";
import type { ConsumerContext } from "./consumer-context.ts";
import type { Effect } from "./effect.ts";
import type { Ending } from "./ending.ts";
import type { Handling } from "./handling.ts";
import { type ParkReason, upsertParkedMessage } from "./inbox-sql.ts";

export interface Parking {
  readonly reason: ParkReason;
  /** Shown to the operator. */
  readonly error: unknown;
  readonly tries: number;
}

/** Parks a message and acknowledges it, or leaves it to be delivered again when it cannot be parked. */
export async function parkAndAck(
  { context, effect, delivery, over, labels }: Handling,
  parking: Parking,
): Promise<Ending> {
  const { error, ...how } = parking;
  context.log.error({ err: error, ...labels, ...how }, "an event is parked");
  const park = () => parkMessage(context, effect, delivery, parking);
  const parked = await attempt(context, over, context.semaphore.run, park);
  if (parked === "over") return "released";
  if ("result" in parked) {
    delivery.ack();
    return "parked";
  }
  context.log.error({ err: parked.error, ...labels }, "an event could not be parked; it will be delivered again");
  return "released";
}

/** Stores a message that cannot be applied, with the reason, so that it can be acknowledged and replayed later. */
async function parkMessage(
  { consumer, db, metrics }: ConsumerContext,
  effect: Effect,
  { subject, headers, payload }: Delivery,
  { reason, error, tries }: Parking,
): Promise<void> {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const eventId = headers["ce-id"];
  const message = { consumer, subject, eventId, headers, payload, reason, error: String(cause), tries };
  await upsertParkedMessage(db, message);
  const labels = { consumer, type: effect.type };
  metrics.parked.inc(labels);
  if (reason === "refuted") metrics.refuted.inc(labels);
}
