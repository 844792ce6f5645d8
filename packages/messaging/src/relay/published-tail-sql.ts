import { type Sql, sql } from "@cloud/postgres";

/** A published event, and the sequence at which the stream stored it. */
export interface PublishedEvent {
  readonly id: string;
  readonly sequence: number;
}

/**
 * Returns up to `limit` events that an incarnation of the stream stored, newest first, those after `after`; `isOld`
 * marks those up to the publication `soundUpTo`. Omits events published more than 6 days ago: the stream keeps events
 * for 7 days, so these are about to expire.
 */
export async function selectPublishedTail(
  db: Sql,
  streamCreatedAt: string,
  after: PublishedEvent | undefined,
  soundUpTo: string,
  limit: number,
): Promise<(PublishedEvent & { readonly isOld: boolean })[]> {
  const { rows } = await db.query<{ id: string; sequence: string; isOld: boolean }>(
    sql`
      select id, stream_sequence as sequence, coalesce(publication, 0) <= $2 as "isOld"
      from outbox
      where stream_created_at = $1
        and published_at > now() - interval '6 days'
        and ($3::bigint is null or (stream_sequence, id) < ($3, $4::uuid))
      order by stream_sequence desc, id desc
      limit $5`,
    [streamCreatedAt, soundUpTo, after?.sequence ?? null, after?.id ?? null, limit],
  );
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
}

/** Marks events as unpublished, unless another relay has republished them meanwhile. Returns how many. */
export async function unpublishEvents(
  db: Sql,
  streamCreatedAt: string,
  events: readonly PublishedEvent[],
): Promise<number> {
  const { rowCount } = await db.query(
    sql`
      update outbox
      set published_at = null,
        stream_created_at = null,
        stream_sequence = null
      where id in (
        select outbox.id
        from outbox
        join unnest($2::uuid[], $3::bigint[]) as lost (id, sequence) on lost.id = outbox.id
        where stream_created_at = $1 and stream_sequence = lost.sequence
        order by outbox.id
        for update of outbox
      )
        and stream_created_at = $1`,
    [streamCreatedAt, events.map((event) => event.id), events.map((event) => event.sequence)],
  );
  return rowCount ?? 0;
}
