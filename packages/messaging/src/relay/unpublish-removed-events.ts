import type { Sql } from "@cloud/postgres";
import type { Conditions } from "@cloud/telemetry";
import type { EventTransport, StreamState } from "../event-transport.ts";
import { unpublishEvents } from "./published-tail-sql.ts";
import { selectEventsAt, selectEventsBefore } from "./removed-events-sql.ts";

/** Events marked as unpublished per check, newest first, so that new events do not wait behind a long history. */
const AT_ONCE = 500;
/** Deleted sequences compared per check: 10,000 take 30 to 120 ms with 300,000 published events. */
const SEQUENCES_AT_ONCE = 10_000;
/**
 * The server lists all deleted sequences in one response or none: 100,000 took 35 ms and 0.6 MB. Ten times that would
 * block the connection, again at every further deletion.
 */
const MOST_SEQUENCES = 500_000;

const tooManyDeleted =
  `more than ${MOST_SEQUENCES} messages were deleted from within the stream: those that consumers had not applied are` +
  " not restored; delete the stream: it is created again and filled from the outboxes";

export interface RemovedEventsContext {
  db: Sql;
  transport: EventTransport;
  conditions: Conditions;
  /** Resolves when none of the relay's own batches is in flight. */
  idle: () => Promise<void>;
}

export interface RemovedEventsCheck {
  /** Returns the number of events marked as unpublished. */
  unpublish(stream: StreamState): Promise<number>;
  /** Makes the next call compare everything, as the first one does. */
  reset(): void;
}

/**
 * Finds events that left the stream early, because it was purged, its limits were lowered for a moment, or messages
 * were deleted. The stream's state shows this as a first sequence that moved or a number of deleted messages that grew;
 * events are compared only then.
 */
export function createRemovedEventsCheck(context: RemovedEventsContext): RemovedEventsCheck {
  const { db, transport, conditions, idle } = context;
  /** The stream's state when it was last compared completely. */
  let compared: { createdAt: string; firstSequence: number; deletedCount: number } | undefined;
  /** Deleted sequences not yet compared, ascending. */
  let sequences: number[] = [];

  const unpublishBefore = async ({ createdAt, firstSequence }: StreamState): Promise<number> => {
    const events = await selectEventsBefore(db, createdAt, firstSequence, AT_ONCE);
    return events.length === 0 ? 0 : await unpublishEvents(db, createdAt, events);
  };

  const unpublishAt = async ({ createdAt }: StreamState): Promise<number> => {
    const newest = sequences.slice(-SEQUENCES_AT_ONCE);
    const events = await selectEventsAt(db, createdAt, newest, AT_ONCE);
    const lost = events.length === 0 ? 0 : await unpublishEvents(db, createdAt, events);
    // A full page may be incomplete, so the same sequences are compared again.
    if (events.length < AT_ONCE) sequences.length -= newest.length;
    return lost;
  };

  const readSequences = async ({ deletedCount }: StreamState): Promise<number[]> => {
    if (deletedCount === 0 || deletedCount > MOST_SEQUENCES) return [];
    return [...(await transport.readDeletedSequences())].sort((a, b) => a - b);
  };

  const unpublish = async (stream: StreamState): Promise<number> => {
    const { createdAt, firstSequence, deletedCount } = stream;
    const before = compared?.createdAt === createdAt ? compared : { createdAt, firstSequence: -1, deletedCount: -1 };
    if (deletedCount > MOST_SEQUENCES) conditions.raise("stream-holes", tooManyDeleted);
    else conditions.clear("stream-holes");
    const firstMoved = firstSequence !== before.firstSequence;
    const deletedGrew = deletedCount > before.deletedCount;
    if (firstMoved || deletedGrew) await idle(); // in-flight batches must have recorded their results first
    if (deletedGrew) sequences = await readSequences(stream);
    const lost = firstMoved ? await unpublishBefore(stream) : 0;
    const all = lost === 0 ? firstSequence : before.firstSequence;
    compared = { createdAt, firstSequence: all, deletedCount };
    return sequences.length === 0 ? lost : lost + (await unpublishAt(stream));
  };

  return {
    unpublish: async (stream) => (stream.keepsMessages ? await unpublish(stream) : 0),
    reset: () => {
      compared = undefined;
    },
  };
}
