import { oneRow, purgedByTime, sql, type Tx, together } from "@cloud/postgres";

/** Of a key that was used before. */
export interface StoredReply {
  readonly request_digest: Buffer;
  readonly reply: Buffer;
}

// A key that expired, but was not purged yet, counts as absent.
const insertKey = sql`
  insert into idempotent_replies as known (key_digest, request_digest)
  values ($1, $2)
  on conflict (key_digest) do update
  set request_digest = excluded.request_digest, reply = '', created_at = now()
  where known.created_at < now() - interval '24 hours'
  returning key_digest`;

const selectReply = sql`
  select request_digest, reply
  from idempotent_replies
  where key_digest = $1`;

/**
 * Inserts a key and returns undefined, or what is stored with it. Waits for a concurrent transaction that inserts the same
 * key, at most for the time of one statement (3 s). Both statements share a round trip.
 */
export async function insertOrSelectReply(
  tx: Tx,
  keyDigest: Buffer,
  requestDigest: Buffer,
): Promise<StoredReply | undefined> {
  const [inserted, stored] = await together([
    tx.query(insertKey, [keyDigest, requestDigest]),
    tx.query<StoredReply & Record<string, unknown>>(selectReply, [keyDigest]),
  ]);
  return inserted.rowCount === 1 ? undefined : oneRow(stored);
}

/** Queues the reply of a key that `tx` has inserted. */
export function queueReply(tx: Tx, keyDigest: Buffer, reply: Buffer): void {
  tx.queue(updateReply, [keyDigest, reply]);
}

const updateReply = sql`
  update idempotent_replies
  set reply = $2
  where key_digest = $1`;

/** Keys that have expired. */
export const purgedReplies = purgedByTime("idempotent_replies", "created_at");
