import type { Sql } from "@cloud/postgres";

/** An event that was published, and where the stream put it. */
export interface PublishedEvent {
  readonly id: string;
  readonly sequence: number;
  /** Published before the moment that was asked for. */
  readonly isOld: boolean;
}

/**
 * Up to `limit` events that an incarnation of the stream took, newest first, after the one given. Not those of more than
 * 6 days ago: what the stream keeps for 7 days is then about to leave it in the ordinary way.
 */
export async function selectPublishedTail(
  sql: Sql,
  streamCreatedAt: string,
  after: { id: string; sequence: number } | undefined,
  moment: string,
  limit: number,
): Promise<PublishedEvent[]> {
  const { rows } = await sql.query<{ id: string; sequence: string; isOld: boolean }>(
    'select id, stream_sequence as sequence, published_at < $2::timestamptz as "isOld" from outbox' +
      " where stream_created_at = $1 and published_at > now() - interval '6 days'" +
      " and ($3::bigint is null or (stream_sequence, id) < ($3, $4::uuid))" +
      " order by stream_sequence desc, id desc limit $5",
    [streamCreatedAt, moment, after?.sequence ?? null, after?.id ?? null, limit],
  );
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
}

/** Makes events unpublished, unless another relay published them anew meanwhile. Answers how many. */
export async function unpublishEvents(
  sql: Sql,
  streamCreatedAt: string,
  events: readonly PublishedEvent[],
): Promise<number> {
  const { rowCount } = await sql.query(
    "update outbox set published_at = null, stream_created_at = null, stream_sequence = null" +
      " from unnest($2::uuid[], $3::bigint[]) as lost (id, sequence)" +
      " where outbox.id = lost.id and stream_created_at = $1 and stream_sequence = lost.sequence",
    [streamCreatedAt, events.map((event) => event.id), events.map((event) => event.sequence)],
  );
  return rowCount ?? 0;
}
