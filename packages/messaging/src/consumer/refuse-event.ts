import { attempt, type Outcome, resultOf } from "./attempt.ts";
import type { Received } from "./effect.ts";
import type { Handling } from "./handling.ts";
import { selectIsReceived } from "./inbox-sql.ts";
import type { Parking } from "./park-message.ts";
import type { Verdict } from "./verdict.ts";

/**
 * Returns how to park an event that its owner does not confirm. A restored owner may refute an event that was applied
 * before; such an event is a duplicate and is not parked.
 */
export async function refuseEvent(
  { context, over, labels }: Handling,
  { envelope }: Received<unknown>,
  verdict: Exclude<Verdict, "confirmed">,
): Promise<Outcome<Parking | undefined>> {
  const { db, consumer, semaphore } = context;
  const look = () => selectIsReceived(db, consumer, envelope.id);
  const isReceived = resultOf(await attempt(context, over, semaphore.run, look));
  if (isReceived === "over") return "over";
  if (isReceived) {
    context.metrics.duplicates.inc(labels);
    return { result: undefined };
  }
  return { result: { reason: verdict, error: refusals[verdict], tries: 1 } };
}

const refusals = {
  refuted: "the owner of the record reports that it exists",
  unknown: "the owner has no such record",
};
