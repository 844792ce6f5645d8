import type { Sql } from "@cloud/postgres";
import type { Telemetry } from "@cloud/telemetry";
import type { EventTransport, StreamState } from "../event-transport.ts";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import { selectBacklog, unpublishLostEvents } from "./outbox-sql.ts";
import { unpublishLostTail } from "./unpublish-lost-tail.ts";
import { createRemovedEventsCheck } from "./unpublish-removed-events.ts";

export interface CheckContext {
  db: Sql;
  transport: EventTransport;
  source: string;
  metrics: MessagingMetrics;
  telemetry: Telemetry;
  /** Resolves when none of the relay's own batches is in flight. */
  idle: () => Promise<void>;
}

export interface OutboxCheck {
  /**
   * Measures the backlog, creates the stream if missing, and marks events the stream has lost as unpublished. Returns
   * the stream's creation stamp, or undefined while the transport is disconnected.
   */
  check(): Promise<string | undefined>;
  stop(): void;
}

/** Higher than any publication: no check has succeeded yet. */
const NO_PUBLICATION = "9223372036854775807";

export function createOutboxCheck(context: CheckContext): OutboxCheck {
  const { db, transport, source, metrics, telemetry, idle } = context;
  const { log, conditions } = telemetry;
  const removed = createRemovedEventsCheck({ db, transport, conditions, idle });
  // After a reconnect, the server may have lost messages that it had confirmed.
  let inDoubt = true;
  const endStatus = transport.onStatusChange(() => {
    inDoubt = true;
    removed.reset();
  });
  let lastSequence = 0;
  /** The last publication when the last check found nothing lost. */
  let soundUpTo = NO_PUBLICATION;

  const unpublishTail = async (stream: StreamState): Promise<number> => {
    if (!(inDoubt || stream.lastSequence < lastSequence)) return 0;
    inDoubt = false;
    try {
      await idle(); // in-flight batches must have recorded their results first
      return await unpublishLostTail(db, transport, stream, soundUpTo);
    } catch (error) {
      inDoubt = true;
      throw error;
    }
  };

  const check = async () => {
    const backlog = await selectBacklog(db);
    metrics.backlog.set({ source }, backlog.rows);
    metrics.oldest.set({ source }, backlog.oldestSeconds);
    if (!transport.isConnected()) return undefined;
    const stream = await transport.readStream();
    let lost = await unpublishLostEvents(db, stream, backlog.lastPublication);
    lost += await unpublishTail(stream);
    lost += await removed.unpublish(stream);
    lastSequence = stream.lastSequence;
    soundUpTo = backlog.lastPublication;
    metrics.lost.inc({ source }, lost);
    if (lost > 0) log.warn({ source, lost }, "the stream has lost events; they will be published again");
    return stream.createdAt;
  };
  return { check, stop: endStatus };
}
