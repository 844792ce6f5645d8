import type { Sql } from "@cloud/postgres";
import { writeEventHeaders } from "../event-headers.ts";
import type { EventMessage, EventTransport } from "../event-transport.ts";
import { markPublished, type OutboxRow, releaseEvents } from "./outbox-sql.ts";

export interface BatchContext {
  db: Sql;
  transport: EventTransport;
  source: string;
  /** The stream's creation stamp as known before publishing. */
  streamCreatedAt: string;
}

/** Publishes claimed events side by side and records each result; answers how many the stream took, and the first error. */
export async function publishBatch(
  { db, transport, source, streamCreatedAt }: BatchContext,
  batch: readonly OutboxRow[],
): Promise<{ published: number; error?: unknown }> {
  const results = await Promise.allSettled(batch.map((row) => transport.publish(messageOf(row, source))));
  const published: { id: string; sequence: number }[] = [];
  const failed: { id: string; error: unknown }[] = [];
  for (const [index, result] of results.entries()) {
    const id = batch[index]?.id ?? "";
    if (result.status === "fulfilled") published.push({ id, sequence: result.value });
    else failed.push({ id, error: result.reason });
  }
  if (published.length > 0) await markPublished(db, streamCreatedAt, published);
  if (failed.length === 0) return { published: published.length };
  await releaseEvents(
    db,
    failed.map((event) => event.id),
  );
  return { published: published.length, error: failed[0]?.error };
}

function messageOf(row: OutboxRow, source: string): EventMessage {
  const { id, subject, type, payload, headers } = row;
  return {
    id,
    subject,
    payload,
    headers: { ...writeEventHeaders({ id, source, type, time: row.created_at }), ...headers },
  };
}
