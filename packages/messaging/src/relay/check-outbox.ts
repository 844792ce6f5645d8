import type { Sql } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import type { EventTransport, StreamState } from "../event-transport.ts";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import { selectBacklog, unpublishLostEvents } from "./outbox-sql.ts";
import { unpublishLostTail } from "./unpublish-lost-tail.ts";

export interface CheckContext {
  db: Sql;
  transport: EventTransport;
  source: string;
  metrics: MessagingMetrics;
  log: Logger;
  /** False only in the control of a test. */
  rewind: boolean;
  /** Resolves when none of the relay's own batches is on its way. */
  idle: () => Promise<void>;
}

export interface OutboxCheck {
  /**
   * Measures the backlog; makes the stream when it is missing, and unpublished what the stream has lost. Answers the
   * stream's creation stamp, or undefined while the transport is not connected.
   */
  check(): Promise<string | undefined>;
  stop(): void;
}

export function createOutboxCheck(context: CheckContext): OutboxCheck {
  const { db, transport, source, metrics, log, rewind, idle } = context;
  // On each new connection it is doubtful whether the server still has all that it confirmed.
  let inDoubt = true;
  const endStatus = transport.onStatusChange(() => {
    inDoubt = true;
  });
  let lastSequence = 0;
  /** When the last check found everything well, by the database's clock. */
  let soundAt = "infinity";

  const unpublishTail = async (stream: StreamState): Promise<number> => {
    if (!rewind || !(inDoubt || stream.lastSequence < lastSequence)) return 0;
    inDoubt = false;
    try {
      await idle(); // what they took home must be on record
      return await unpublishLostTail(db, transport, stream, soundAt);
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
    let total = rewind ? await unpublishLostEvents(db, stream, backlog.now) : 0;
    total += await unpublishTail(stream);
    lastSequence = stream.lastSequence;
    soundAt = backlog.now;
    metrics.republished.inc({ source }, total);
    if (total > 0) log.warn({ source, lost: total }, "the stream lost events; they are published again");
    return stream.createdAt;
  };
  return { check, stop: endStatus };
}
