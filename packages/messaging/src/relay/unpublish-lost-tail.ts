import type { Sql } from "@cloud/postgres";
import type { EventTransport, StreamState } from "../event-transport.ts";
import { BATCH, BATCHES_IN_FLIGHT } from "./in-flight.ts";
import { type PublishedEvent, selectPublishedTail, unpublishEvents } from "./published-tail-sql.ts";

/** The most that can be in flight, plus a margin. */
const ENOUGH_IN_A_ROW = BATCHES_IN_FLIGHT * BATCH + 100;
const SIDE_BY_SIDE = 100;

/**
 * Marks events as unpublished that the stream has lost from its end. A crashed server may come back as the same stream
 * without the last messages that it confirmed, and other relays may have published past the lost sequences since, so
 * the stream's last sequence proves nothing. Compares published events with the stream, newest first, until enough in a
 * row are found. Those after the publication `soundUpTo` (the last check that found nothing lost) do not count, because
 * the crash preceded them. Returns the number of lost events.
 */
export async function unpublishLostTail(
  db: Sql,
  transport: EventTransport,
  { createdAt }: StreamState,
  soundUpTo: string,
): Promise<number> {
  let lost = 0;
  let last: PublishedEvent | undefined;
  for (let inARow = 0; inARow < ENOUGH_IN_A_ROW; ) {
    const events = await selectPublishedTail(db, createdAt, last, soundUpTo, SIDE_BY_SIDE);
    const ids = await Promise.all(events.map(({ sequence }) => transport.readMessageId(sequence)));
    const missing = events.filter((event, index) => ids[index] !== event.id);
    if (missing.length > 0) lost += await unpublishEvents(db, createdAt, missing);
    for (const event of events) {
      if (missing.includes(event)) inARow = 0;
      else if (event.isOld) inARow++;
    }
    if (events.length < SIDE_BY_SIDE) break;
    last = events.at(-1);
  }
  return lost;
}
