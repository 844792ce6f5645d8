import { type Database, type Reader, statement } from "@cloud/postgres";
import type { ParkReason } from "./consumer/inbox-sql.ts";

interface ParkedSummary {
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

const selectParked = statement<ParkedSummary>`
  select id, consumer, coalesce(headers->>'ce-type', subject) as type, event_id as "eventId", reason, error, tries,
    parked_at as "parkedAt", replayed_at as "replayedAt"
  from parked_messages
  order by parked_at, id`;

/** Returns the parked messages of a schema, oldest first. */
export async function listParked(db: Reader): Promise<ParkedSummary[]> {
  const { rows } = await db.read(selectParked);
  return rows;
}

const replay = statement`
  with replayed as (
    update parked_messages
    set replayed_at = now()
    where ($1::uuid[] is null and replayed_at is null) or id = any($1::uuid[])
    returning consumer, subject, headers, payload
  )
  insert into outbox (subject, type, payload, headers)
  select
    'cloud.v1.' || consumer || '.replayed.' || substr(subject, length('cloud.v1.') + 1),
    coalesce(headers->>'ce-type', ''),
    payload,
    headers - 'Nats-Msg-Id'
  from replayed`;

/**
 * Publishes parked messages again, through the outbox of their schema and to their own consumer only (`durablesOf`):
 * all messages not yet replayed, or those with the given ids. They keep their event id, so a consumer that has already
 * applied one ignores it. Returns their number.
 */
export async function replayParked(db: Database, which: readonly string[] | "all"): Promise<number> {
  const { rowCount } = await db.transaction((tx) => tx.query(replay, [which === "all" ? null : which]));
  return rowCount;
}

/** A parked event whose record its owner did not have when last checked. */
export interface UnknownEvent {
  readonly id: string;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Uint8Array;
}

const unknownEvents = statement<UnknownEvent>`
  select id, subject, headers, payload
  from parked_messages
  where reason = 'unknown' and replayed_at is null and ($1 = '' or id > nullif($1, '')::uuid)
  order by id
  limit $2`;

/**
 * Returns up to `limit` events whose record was unknown to its owner, in the order of their ids, starting after
 * `after`.
 */
export async function selectUnknownEvents(db: Reader, after: string, limit: number): Promise<UnknownEvent[]> {
  return (await db.read(unknownEvents, [after, limit])).rows;
}

const parkedDeletion = statement`
  delete from parked_messages
  where id = any($1::uuid[])`;

/** Deletes parked messages permanently. Returns their number. */
export async function deleteParked(db: Database, ids: readonly string[]): Promise<number> {
  return (await db.transaction((tx) => tx.query(parkedDeletion, [ids]))).rowCount;
}
