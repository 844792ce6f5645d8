import type { Database } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import type { EventTransport } from "../event-transport.ts";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import { selectBacklog, unpublishLostEvents } from "./outbox-sql.ts";

export interface CheckContext {
  db: Database;
  transport: EventTransport;
  source: string;
  metrics: MessagingMetrics;
  log: Logger;
}

/**
 * Measures the backlog, creates the stream if missing, and marks events as unpublished that another stream stored, or
 * this one beyond its end. Returns the stream's creation stamp, or undefined while the transport is disconnected.
 *
 * Does not look for events that are missing within the stream, after a purge or a deletion: the reconciler repairs what
 * they would have done.
 */
export async function checkOutbox({ db, transport, source, metrics, log }: CheckContext): Promise<string | undefined> {
  const backlog = await selectBacklog(db);
  metrics.backlog.set({ source }, backlog.rows);
  metrics.oldest.set({ source }, backlog.oldestSeconds);
  if (!transport.isConnected()) return undefined;
  const stream = await transport.readStream();
  const lost = await unpublishLostEvents(db, stream, backlog.lastPublication);
  metrics.lost.inc({ source }, lost);
  if (lost > 0) log.warn({ source, lost }, "the stream has lost events; they will be published again");
  return stream.createdAt;
}
