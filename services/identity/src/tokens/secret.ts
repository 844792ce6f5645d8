import { createHash, randomBytes } from "node:crypto";

/** Tells our tokens apart from other systems', to people and to scanners for leaked secrets. */
const PREFIX = "cst_";
/** Contract, section 5: at least 256 random bits. */
const RANDOM_BYTES = 32;
/** The prefix and four characters: 24 of the 256 bits, to recognise a token by. */
const HINT_LENGTH = 8;

export interface Secret {
  /** What the user keeps and we do not: the prefix and 43 characters of base64url. */
  readonly secret: string;
  /** SHA-256, 32 bytes. */
  readonly digest: Buffer;
  readonly hint: string;
}

export function createSecret(): Secret {
  const secret = PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
  return { secret, digest: digestOf(secret), hint: secret.slice(0, HINT_LENGTH) };
}

/** What the table knows a secret by. */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
