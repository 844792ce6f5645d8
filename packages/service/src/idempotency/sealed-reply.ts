import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a reply is sealed with. */
export interface Seal {
  /** The idempotency key, which is not stored. Whoever guesses it can open the reply: that of a UUID cannot be guessed. */
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

/** Decrypts what `sealReply` has encrypted. @throws Error if it was changed, or sealed otherwise */
export function openReply(seal: Seal, sealed: Buffer): Uint8Array {
  const decipher = createDecipheriv(ALGORITHM, keyOf(seal), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

const keyOf = ({ key, scope }: Seal) => Buffer.from(hkdfSync("sha256", key, scope, "idempotent reply", 32));
