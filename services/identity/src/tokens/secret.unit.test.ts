import { hasTokenForm } from "@cloud/access/principal";
import { expect, test } from "@jest/globals";
import { createSecret, digestOf } from "./secret.ts";

test("a secret is a prefix and 256 bits; it is stored as a digest and recognised by its first characters", () => {
  const { secret, digest, hint } = createSecret();
  expect(secret).toMatch(/^cst_[A-Za-z0-9_-]{43}$/);
  expect(hasTokenForm(secret)).toBe(true);
  expect(Buffer.from(secret.slice(4), "base64url")).toHaveLength(32);
  expect(digest.equals(digestOf(secret))).toBe(true);
  expect(digest).toHaveLength(32);
  expect(secret.startsWith(hint)).toBe(true);
  expect(hint).toHaveLength(8);
});

test("1,000 secrets are distinct", () => {
  expect(new Set(Array.from({ length: 1_000 }, () => createSecret().secret)).size).toBe(1_000);
});
