import type { Sql } from "@cloud/postgres";
import type { EventTransport, StreamState } from "../event-transport.ts";
import { type PublishedEvent, selectPublishedTail, unpublishEvents } from "./published-tail-sql.ts";

/** As many as may have been on their way, in 4 batches of 100, when the connection broke; and some. */
const ENOUGH_IN_A_ROW = 500;
const SIDE_BY_SIDE = 100;

/**
 * A server that crashed may come back without the last messages that it confirmed, as the same stream; others may have
 * published past the lost sequences since, so that the stream's end tells nothing. This compares what was published with
 * what the stream holds there, newest first, until enough in a row are found; those published since `soundAt`, when all
 * was well, do not count, because the crash lies before them. Makes unpublished what is not found; answers how much.
 */
export async function unpublishLostTail(
  db: Sql,
  transport: EventTransport,
  { createdAt }: StreamState,
  soundAt: string,
): Promise<number> {
  let lost = 0;
  let last: PublishedEvent | undefined;
  for (let inARow = 0; inARow < ENOUGH_IN_A_ROW; ) {
    const events = await selectPublishedTail(db, createdAt, last, soundAt, SIDE_BY_SIDE);
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
