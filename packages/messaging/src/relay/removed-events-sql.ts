import { type Sql, sql } from "@cloud/postgres";
import type { PublishedEvent } from "./published-tail-sql.ts";

/**
 * Returns events that lie before the first sequence of the incarnation that stored them, although the stream keeps them
 * for a day longer: of the newest `limit` there, those published less than 6 days ago. Reads no further back, because
 * if the newest 500 have expired, all earlier ones have, too. So ordinary expiry, which moves the first sequence all
 * the time, costs the read of 500 adjacent entries of the index outbox_published_in: 0.3 ms with 300,000 published
 * events.
 */
export async function selectEventsBefore(
  db: Sql,
  streamCreatedAt: string,
  firstSequence: number,
  limit: number,
): Promise<PublishedEvent[]> {
  const { rows } = await db.query<{ id: string; sequence: string }>(
    sql`
      select id, sequence
      from (
        select id, stream_sequence as sequence, published_at
        from outbox
        where published_at is not null
          and stream_created_at = $1
          and stream_sequence < $2
        order by stream_sequence desc
        limit $3
      ) newest
      where published_at > now() - interval '6 days'`,
    [streamCreatedAt, firstSequence, limit],
  );
  return rows.map(({ id, sequence }) => ({ id, sequence: Number(sequence) }));
}

/** Returns up to `limit` events at these sequences of an incarnation, published less than 6 days ago, newest first. */
export async function selectEventsAt(
  db: Sql,
  streamCreatedAt: string,
  sequences: readonly number[],
  limit: number,
): Promise<PublishedEvent[]> {
  const { rows } = await db.query<{ id: string; sequence: string }>(
    sql`
      select id, stream_sequence as sequence
      from outbox
      where published_at > now() - interval '6 days'
        and stream_created_at = $1
        and stream_sequence = any($2::bigint[])
      order by stream_sequence desc
      limit $3`,
    [streamCreatedAt, sequences, limit],
  );
  return rows.map(({ id, sequence }) => ({ id, sequence: Number(sequence) }));
}
