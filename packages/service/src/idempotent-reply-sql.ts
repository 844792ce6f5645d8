import { oneRow, statement, type Tx } from "@cloud/postgres";
import { purgedByTime } from "@cloud/postgres/migrations";

/** The reply that is stored with a key, and the digest of its request. */
interface StoredReply {
  readonly request_digest: Buffer;
  readonly reply: Buffer;
}

// A key that expired, but was not purged yet, counts as absent.
const insertKey = statement`
  insert into idempotent_replies as known (key_digest, request_digest)
  values ($1, $2)
  on conflict (key_digest) do update
  set request_digest = excluded.request_digest, reply = '', created_at = now()
  where known.created_at < now() - interval '24 hours'
  returning key_digest`;

const selectReply = statement<StoredReply>`
  select request_digest, reply
  from idempotent_replies
  where key_digest = $1`;

/**
 * Inserts a key and returns undefined, or returns the row of a key that is stored. Waits for a concurrent transaction
 * that inserts the same key, at most for the time of one statement (3 s).
 */
export async function insertOrSelectReply(
  tx: Tx,
  keyDigest: Buffer,
  requestDigest: Buffer,
): Promise<StoredReply | undefined> {
  const { rowCount } = await tx.query(insertKey, [keyDigest, requestDigest]);
  return rowCount === 1 ? undefined : oneRow(await tx.query(selectReply, [keyDigest]));
}

const updateReply = statement`
  update idempotent_replies
  set reply = $2
  where key_digest = $1`;

/** The purge of keys that have expired. */
export const purgedReplies = purgedByTime("idempotent_replies", "created_at");

/** Stores the reply of a key that `tx` has inserted. */
export function storeReply(tx: Tx, keyDigest: Buffer, reply: Buffer): void {
  tx.atCommit({ statement: updateReply, params: [keyDigest, reply] });
}
