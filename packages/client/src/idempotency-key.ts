/**
 * Creates an idempotency key: 128 random bits in hexadecimal. Not `randomUUID`, which browsers have on pages from https
 * only.
 */
export function createIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
