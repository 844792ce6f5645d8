import { prepared, type Sql, type Tx } from "@cloud/postgres";

const insertOnce = prepared("insert into inbox (consumer, event_id) values ($1, $2) on conflict do nothing");

/** Remembers an event; false when the consumer had it before. Waits for a rival that is about to remember it. */
export async function insertReceived(tx: Tx, consumer: string, eventId: string): Promise<boolean> {
  const { rowCount } = await tx.query(insertOnce, [consumer, eventId]);
  return rowCount === 1;
}

export interface ParkedMessage {
  consumer: string;
  subject: string;
  /** Undefined when the message was too broken to tell. */
  eventId: string | undefined;
  headers: Readonly<Record<string, string>>;
  payload: Uint8Array;
  error: string;
  tries: number;
}

/** Parks a message; one that was parked before (and delivered again) is parked anew. */
export async function upsertParkedMessage(sql: Sql, message: ParkedMessage): Promise<void> {
  // Neither text nor jsonb can hold U+0000.
  const headers = JSON.stringify(message.headers).replaceAll("\\u0000", "\\ufffd");
  const error = message.error.replaceAll("\0", "\ufffd");
  await sql.query(
    "insert into parked_messages (consumer, subject, event_id, headers, payload, error, tries)" +
      " values ($1, $2, $3, $4, $5, $6, $7)" +
      " on conflict (consumer, event_id) do update set headers = excluded.headers, payload = excluded.payload," +
      " error = excluded.error, tries = excluded.tries, parked_at = now(), replayed_at = null",
    [
      message.consumer,
      message.subject,
      message.eventId ?? null,
      headers,
      Buffer.from(message.payload),
      error,
      message.tries,
    ],
  );
}
