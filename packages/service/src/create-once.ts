import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";
import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { type Caller, parseIdempotencyKey } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import type { Database, Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { HandlerContext } from "@connectrpc/connect";
import { insertOrSelectReply, storeReply } from "./idempotent-reply-sql.ts";

interface CreatingContext {
  readonly db: Database;
  /** The call's idempotency key; undefined without a key. */
  readonly idempotency: IdempotentCall | undefined;
}

/** A call with an idempotency key. */
export interface IdempotentCall {
  readonly key: string;
  readonly method: DescMethod;
  /** The user, or the service. */
  readonly caller: string;
  /** The message, of the type of the method's input. */
  readonly request: unknown;
  /** Called when the reply was stored by an earlier call. */
  readonly onReplay: () => void;
}

/**
 * Creates a record in one transaction, and returns the reply. Among calls with the same idempotency key within 24
 * hours, only the first runs `work`: its reply is stored in the same transaction, and returned to the others. A
 * concurrent call waits for it; a call that fails stores nothing.
 *
 * Call it once the caller's permission is checked, so that a replay needs the permission, too. A key costs a
 * round trip more, and a statement in that of COMMIT.
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
      storeReply(tx, keyDigest, sealReply({ key, scope }, encode(method, created)));
      return { reply: created, isReplay: false };
    }
    if (!stored.request_digest.equals(requestDigest)) throw fail(Reason.IDEMPOTENCY_KEY_REUSED);
    const bytes = openReply({ key, scope }, stored.reply);
    return { reply: fromBinary(method.output, bytes) as object as Reply, isReplay: true };
  });
  if (isReplay) onReplay();
  return reply;
}

/** Reads the idempotency key of a call. Returns undefined for a call without a key. @throws INVALID_PARAMETER */
export function readIdempotentCall(
  { method, requestHeader, responseHeader }: HandlerContext,
  { userId, serviceName }: Caller,
  request: unknown,
): IdempotentCall | undefined {
  const sent = requestHeader.get("idempotency-key");
  if (sent === null) return undefined;
  return {
    key: parseIdempotencyKey(sent),
    method,
    caller: userId === "" ? `service:${serviceName}` : userId,
    request,
    onReplay: () => responseHeader.set("idempotent-replayed", "true"),
  };
}

const encode = ({ output }: DescMethod, reply: object) =>
  toBinary(output, create(output, reply as MessageInitShape<typeof output>));

/**
 * Returns the SHA-256 of the fields of a request. Requests that differ only in how they are written, such as by REST
 * and by RPC, in the order of their fields, or in fields that the API does not have, have equal digests.
 */
export function digestOfRequest<Type extends DescMessage>(type: Type, request: MessageShape<Type>): Buffer {
  return hash("sha256", JSON.stringify(sorted(toJson(type, request))), "buffer");
}

/** Sorts the keys of objects: `metadata` keeps the order in which its keys were sent. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secret and the scope that seal a reply. */
interface Seal {
  /** The idempotency key, which is not stored. A reader who guesses it can open the reply; a UUID cannot be guessed. */
  readonly key: string;
  /** Distinguishes equal keys of several callers and RPCs. */
  readonly scope: string;
}

/** Encrypts a reply with a key that is derived from the idempotency key (HKDF, AES-256-GCM). */
export function sealReply(seal: Seal, reply: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(seal), nonce);
  return Buffer.concat([nonce, cipher.update(reply), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts a reply that `sealReply` has encrypted. @throws Error if it was changed, or sealed otherwise */
export function openReply(seal: Seal, sealed: Buffer): Uint8Array {
  const decipher = createDecipheriv(ALGORITHM, keyOf(seal), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

const keyOf = ({ key, scope }: Seal) => Buffer.from(hkdfSync("sha256", key, scope, "idempotent reply", 32));
