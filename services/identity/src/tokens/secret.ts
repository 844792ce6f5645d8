import { hash, randomBytes } from "node:crypto";
import { TOKEN_PREFIX } from "@cloud/access/principal";

export interface Secret {
  /** The prefix and 43 characters of base64url. Only the user stores it. */
  readonly secret: string;
  /** The SHA-256 of the secret, 32 bytes. */
  readonly digest: Buffer;
  readonly hint: string;
}

/** Generates a secret of 256 random bits. */
export function createSecret(): Secret {
  return secretOf(TOKEN_PREFIX + randomBytes(RANDOM_BYTES).toString("base64url"));
}

/** The random bytes of a secret: at least 256 bits (contract, section 5). */
const RANDOM_BYTES = 32;

/** Returns a secret with its digest and its hint, which are stored. */
export function secretOf(secret: string): Secret {
  return { secret, digest: digestOf(secret), hint: secret.slice(0, HINT_LENGTH) };
}

/** Returns the SHA-256 digest under which a secret is stored. */
export function digestOf(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** Characters of the hint: the prefix and four more, which are 24 of the 256 bits, enough to recognise a token. */
const HINT_LENGTH = 8;
