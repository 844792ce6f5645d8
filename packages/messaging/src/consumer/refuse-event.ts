import { attempt, type Outcome, resultOf } from "./attempt.ts";
import type { Handling } from "./handling.ts";
import { selectIsReceived } from "./inbox-sql.ts";
import type { Parking } from "./park-message.ts";

/**
 * Returns `parking`, unless the event was applied before: a restored owner may refute such an event, and the connection
 * may have been lost before each acknowledgement. Then it is a duplicate, and is not parked.
 */
export async function refuseEvent(
  { context, delivery, over, labels }: Handling,
  parking: Parking,
): Promise<Outcome<Parking | undefined>> {
  const { db, consumer, semaphore } = context;
  const look = () => selectIsReceived(db, consumer, delivery.headers["ce-id"] ?? "");
  const isReceived = resultOf(await attempt(context, over, semaphore.run, look));
  if (isReceived === "over") return "over";
  if (isReceived) context.metrics.duplicates.inc(labels);
  return { result: isReceived ? undefined : parking };
}
