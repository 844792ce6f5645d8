import type { Database } from "@cloud/postgres";
import type { Tracing } from "@cloud/runtime/telemetry";
import { readEventCorrelation, writeEventCorrelation, writeEventHeaders } from "../envelope.ts";
import type { EventMessage, EventTransport, Publication } from "../event-transport.ts";
import { markPublished, type OutboxRow, releaseEvents } from "./outbox-sql.ts";

interface BatchContext {
  readonly db: Database;
  readonly transport: EventTransport;
  readonly source: string;
  readonly tracing: Tracing | undefined;
  /** The stream's creation stamp, read before publishing. */
  readonly streamCreatedAt: string;
}

interface BatchResult {
  /** Events confirmed to be in the stream. */
  published: number;
  /** Confirmed events that the stream had lost and stored again. */
  republished: number;
  /** The first error. */
  error?: unknown;
}

/** Publishes claimed events concurrently and records each result. */
export async function publishBatch(context: BatchContext, batch: readonly OutboxRow[]): Promise<BatchResult> {
  const { db, streamCreatedAt } = context;
  const results = await Promise.allSettled(batch.map((row) => publishRow(context, row)));
  const published: { id: string; sequence: number }[] = [];
  const failed: { id: string; error: unknown }[] = [];
  let republished = 0;
  for (const [index, result] of results.entries()) {
    const { id = "", publication = null } = batch[index] ?? {};
    if (result.status === "rejected") failed.push({ id, error: result.reason });
    else {
      published.push({ id, sequence: result.value.sequence });
      if (publication !== null && result.value.isNew) republished++;
    }
  }
  if (published.length > 0) await markPublished(db, streamCreatedAt, published);
  const counts = { published: published.length, republished };
  if (failed.length === 0) return counts;
  await releaseEvents(
    db,
    failed.map((event) => event.id),
  );
  return { ...counts, error: failed[0]?.error };
}

/** Publishes an event of the outbox; while tracing is on, in a span below the one of the request that caused it. */
async function publishRow({ transport, source, tracing }: BatchContext, row: OutboxRow): Promise<Publication> {
  const message = messageOf(row, source);
  if (tracing === undefined) return await transport.publish(message);
  const { subject, id } = message;
  const span = tracing.start(`publish ${row.type}`, "producer", readEventCorrelation(row.headers), {
    "messaging.system": "nats",
    "messaging.operation.type": "send",
    "messaging.destination.name": subject,
    "messaging.message.id": id,
  });
  try {
    const headers = { ...message.headers, ...writeEventCorrelation(span.correlation) };
    const publication = await transport.publish({ ...message, headers });
    span.end();
    return publication;
  } catch (error) {
    span.end({}, "not published");
    throw error;
  }
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
