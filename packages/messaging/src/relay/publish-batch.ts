import type { Sql } from "@cloud/postgres";
import { type OutboxRow, releaseEvents } from "./outbox-sql.ts";
import { type PublishContext, publishRow } from "./publish-row.ts";
import type { RecordPublications } from "./record-publications.ts";

export interface BatchContext extends PublishContext {
  db: Sql;
  recordPublications: RecordPublications;
  /** The stream's creation stamp, read before publishing. */
  streamCreatedAt: string;
}

export interface BatchResult {
  /** Events confirmed to be in the stream. */
  published: number;
  /** Those of them that the stream had lost and stored again. */
  republished: number;
  /** The first error. */
  error?: unknown;
}

/** Publishes claimed events concurrently and records each result. */
export async function publishBatch(context: BatchContext, batch: readonly OutboxRow[]): Promise<BatchResult> {
  const { db, recordPublications, streamCreatedAt } = context;
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
  if (published.length > 0) await recordPublications(streamCreatedAt, published);
  const counts = { published: published.length, republished };
  if (failed.length === 0) return counts;
  await releaseEvents(
    db,
    failed.map((event) => event.id),
  );
  return { ...counts, error: failed[0]?.error };
}
