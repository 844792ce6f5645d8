import { hash, randomBytes } from "node:crypto";
import { TOKEN_PREFIX } from "@cloud/access/principal";

/** Contract, section 5: at least 256 random bits. */
const RANDOM_BYTES = 32;
/** The prefix and four characters, which are 24 of the 256 bits: enough to recognise a token. */
const HINT_LENGTH = 8;

export interface Secret {
  /** The prefix and 43 characters of base64url. Stored only by the user. */
  readonly secret: string;
  /** SHA-256, 32 bytes. */
  readonly digest: Buffer;
  readonly hint: string;
}

/** Generates a secret of 256 random bits. */
export function createSecret(): Secret {
  return secretOf(TOKEN_PREFIX + randomBytes(RANDOM_BYTES).toString("base64url"));
}

/** Returns what is stored of a secret, with the secret itself. */
export function secretOf(secret: string): Secret {
  return { secret, digest: digestOf(secret), hint: secret.slice(0, HINT_LENGTH) };
}

/** Returns the SHA-256 digest under which a secret is stored. */
export function digestOf(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
