import type { Sql } from "@cloud/postgres";
import type { Logger } from "@cloud/telemetry";
import type { EventTransport } from "../event-transport.ts";
import type { MessagingMetrics } from "../messaging-metrics.ts";
import { selectBacklog, unpublishLostEvents } from "./outbox-sql.ts";

export interface CheckContext {
  db: Sql;
  transport: EventTransport;
  source: string;
  metrics: MessagingMetrics;
  log: Logger;
  /** False only in the control of a test. */
  rewind: boolean;
}

/**
 * Measures the backlog; makes the stream when it is missing, and unpublished what the stream has lost. Answers the
 * stream's creation stamp, or undefined while the transport is not connected.
 */
export async function checkOutbox(context: CheckContext): Promise<string | undefined> {
  const { db, transport, source, metrics, log, rewind } = context;
  const backlog = await selectBacklog(db);
  metrics.backlog.set({ source }, backlog.rows);
  metrics.oldest.set({ source }, backlog.oldestSeconds);
  if (!transport.isConnected()) return undefined;
  const stream = await transport.readStream();
  let total = 0;
  for (let lost = rewind ? 1 : 0; lost > 0; total += lost) {
    lost = await unpublishLostEvents(db, stream, backlog.now);
  }
  metrics.republished.inc({ source }, total);
  if (total > 0) log.warn({ source, lost: total }, "the stream lost events; they are published again");
  return stream.createdAt;
}
