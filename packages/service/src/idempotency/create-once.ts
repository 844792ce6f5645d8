import { hash } from "node:crypto";
import { create, type DescMethod, fromBinary, type Message, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { fail } from "@cloud/contract";
import type { Database, Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { IdempotentCall } from "./idempotent-call.ts";
import { digestOfRequest } from "./idempotent-call.ts";
import { insertOrSelectReply, storeReply } from "./idempotent-reply-sql.ts";
import { openReply, sealReply } from "./sealed-reply.ts";

interface CreatingContext {
  readonly db: Database;
  /** Undefined for a call without an idempotency key. */
  readonly idempotency: IdempotentCall | undefined;
}

/**
 * Creates a record in one transaction, and returns the reply. Of calls with one idempotency key within 24 hours only the
 * first runs `work`: its reply is stored in the same transaction, and returned to the others. A concurrent one waits for
 * it; one that fails stores nothing.
 *
 * To be called once the caller's permission is checked, so that a replay needs it, too. Without a key it costs nothing;
 * with one, two statements more, each a round trip of its own.
 *
 * @throws IDEMPOTENCY_KEY_REUSED for a key that was used with another request
 */
export async function createOnce<Reply extends object>(
  { db, idempotency }: CreatingContext,
  work: (tx: Tx) => Promise<Reply>,
): Promise<Reply> {
  if (idempotency === undefined) return await db.transaction(work);
  const { key, method, caller, request, onReplay } = idempotency;
  const scope = JSON.stringify([caller, method.parent.typeName, method.name]);
  const keyDigest = hash("sha256", JSON.stringify([scope, key]), "buffer");
  const requestDigest = digestOfRequest(method.input, request as Message);
  const { reply, isReplay } = await db.transaction(async (tx) => {
    const stored = await insertOrSelectReply(tx, keyDigest, requestDigest);
    if (stored === undefined) {
      const created = await work(tx);
      await storeReply(tx, keyDigest, sealReply({ key, scope }, encode(method, created)));
      return { reply: created, isReplay: false };
    }
    if (!stored.request_digest.equals(requestDigest)) throw fail(Reason.IDEMPOTENCY_KEY_REUSED);
    const bytes = openReply({ key, scope }, stored.reply);
    return { reply: fromBinary(method.output, bytes) as object as Reply, isReplay: true };
  });
  if (isReplay) onReplay();
  return reply;
}

const encode = ({ output }: DescMethod, reply: object) =>
  toBinary(output, create(output, reply as MessageInitShape<typeof output>));
