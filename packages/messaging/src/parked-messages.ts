import { type Database, type Sql, sql } from "@cloud/postgres";
import type { ParkReason } from "./consumer/inbox-sql.ts";

export interface ParkedSummary {
  id: string;
  consumer: string;
  type: string;
  eventId: string | null;
  reason: ParkReason;
  error: string;
  tries: number;
  parkedAt: Date;
  /** Null until it is replayed. */
  replayedAt: Date | null;
}

/** Returns the parked messages of a schema, oldest first. */
export async function listParked(db: Sql): Promise<ParkedSummary[]> {
  const { rows } = await db.query<ParkedSummary>(sql`
    select id, consumer, coalesce(headers->>'ce-type', subject) as type, event_id as "eventId", reason, error, tries,
      parked_at as "parkedAt", replayed_at as "replayedAt"
    from parked_messages
    order by parked_at, id`);
  return rows;
}

/**
 * Publishes parked messages again, through the outbox of their schema and to their own consumer only (`durablesOf`):
 * all messages not yet replayed, or those with the given ids. They keep their event id, so a consumer that has already
 * applied one ignores it. Returns their number.
 */
export async function replayParked(db: Database, which: readonly string[] | "all"): Promise<number> {
  const replay = sql`
    with replayed as (
      update parked_messages
      set replayed_at = now()
      where ($1::uuid[] is null and replayed_at is null) or id = any($1::uuid[])
      returning consumer, subject, headers, payload
    )
    insert into outbox (subject, type, payload, headers)
    select 'cloud.v1.' || consumer || '.replayed.' || substr(subject, length('cloud.v1.') + 1), coalesce(headers->>'ce-type', ''), payload, headers - 'Nats-Msg-Id'
    from replayed`;
  return await db.withTransaction(async (tx) => {
    const { rowCount } = await tx.query(replay, [which === "all" ? null : which]);
    await tx.query(sql`select pg_notify('outbox_' || current_schema(), '')`);
    return rowCount ?? 0;
  });
}

/** A parked event whose record its owner did not have when last checked. */
export interface UnknownEvent {
  readonly id: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}

/**
 * Returns up to `limit` events whose record was unknown to its owner, in the order of their ids, starting after
 * `after`.
 */
export async function selectUnknownEvents(db: Sql, after: string, limit: number): Promise<UnknownEvent[]> {
  const text = sql`
    select id, subject, headers, payload
    from parked_messages
    where reason = 'unknown' and replayed_at is null and ($1 = '' or id > nullif($1, '')::uuid)
    order by id
    limit $2`;
  return (await db.query<UnknownEvent & Record<string, unknown>>(text, [after, limit])).rows;
}

/** Deletes parked messages permanently. Returns their number. */
export async function deleteParked(db: Sql, ids: readonly string[]): Promise<number> {
  const text = sql`
    delete from parked_messages
    where id = any($1::uuid[])`;
  return (await db.query(text, [ids])).rowCount;
}
