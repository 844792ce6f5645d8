import { type Database, type Reader, statement, type Tx } from "@cloud/postgres";
import type { Delivery } from "../event-transport.ts";

// In order of the ids, so that two consumers with some events in common do not deadlock.
const insertOnce = statement<{ event_id: string }>`
  insert into inbox (consumer, event_id)
  select $1, received.id
  from unnest($2::text[]) as received (id)
  where not exists (
    select
    from parked_messages
    where consumer = $1 and event_id = received.id and reason = 'failed' and replayed_at is null
  )
  order by received.id
  on conflict do nothing
  returning event_id`;

/**
 * Records events and returns the ids of the new ones. Waits for a concurrent transaction that records one of them. An
 * event that is parked after failed attempts is not new: nats-server 2.9 delivers acknowledged messages again, as if
 * for the first time, when it had no process to deliver them to. So a message that ends its process is parked once and
 * for all.
 */
export async function insertReceived(tx: Tx, consumer: string, eventIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query(insertOnce, [consumer, eventIds]);
  return new Set(rows.map((row) => row.event_id));
}

const isReceived = statement`
  select
  from inbox
  where consumer = $1 and event_id = $2`;

/** Returns whether the consumer has recorded the event as received. */
export async function selectIsReceived(db: Reader, consumer: string, eventId: string): Promise<boolean> {
  return (await db.read(isReceived, [consumer, eventId])).rowCount === 1;
}

/** The reason for which a message is parked; migration 0004 describes them. */
export type ParkReason = "failed" | "refuted" | "unknown";

/** Why a message is parked. */
export interface Parking {
  readonly reason: ParkReason;
  /** Shown to the operator. */
  readonly error: unknown;
  readonly tries: number;
}

const parkedMessageUpsert = statement`
  insert into parked_messages (consumer, subject, event_id, headers, payload, reason, error, tries)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (consumer, event_id) do update
  set headers = excluded.headers, payload = excluded.payload, reason = excluded.reason, error = excluded.error,
    tries = excluded.tries, parked_at = now(), replayed_at = null`;

/** Parks a message. If it was parked before and delivered again, it is parked as new, with `replayed_at` cleared. */
export async function upsertParkedMessage(
  db: Database,
  consumer: string,
  { subject, headers, payload }: Delivery,
  { reason, error, tries }: Parking,
): Promise<void> {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const eventId = headers["ce-id"] ?? null; // null when the message has no readable id
  // Neither text nor jsonb can hold U+0000.
  const stored = JSON.stringify(headers).replaceAll("\\u0000", "\\ufffd");
  const text = String(cause).replaceAll("\0", "\ufffd");
  const params = [consumer, subject, eventId, stored, Buffer.from(payload), reason, text, tries];
  await db.transaction((tx) => tx.query(parkedMessageUpsert, params));
}

const PARK_REASONS: readonly ParkReason[] = ["failed", "refuted", "unknown"];

const countOfParked = statement<{ reason: ParkReason; count: number }>`
  select reason, count(*)::integer as count
  from (
    select reason
    from parked_messages
    where consumer = $1 and replayed_at is null
    limit 10000
  ) parked
  group by reason`;

/** Counts the messages of a consumer that are parked and not replayed, up to 10,000, by each reason. */
export async function countParked(db: Reader, consumer: string): Promise<(readonly [ParkReason, number])[]> {
  const { rows } = await db.read(countOfParked, [consumer]);
  return PARK_REASONS.map((reason) => [reason, rows.find((row) => row.reason === reason)?.count ?? 0]);
}
