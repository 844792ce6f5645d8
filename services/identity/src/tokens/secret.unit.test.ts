import { expect, test } from "@jest/globals";
import { createSecret, digestOf } from "./secret.ts";

test("a secret is a prefix and 256 bits, known by its digest and hinted at by its start", () => {
  const { secret, digest, hint } = createSecret();
  expect(secret).toMatch(/^cst_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(secret.slice(4), "base64url")).toHaveLength(32);
  expect(digest.equals(digestOf(secret))).toBe(true);
  expect(digest).toHaveLength(32);
  expect(secret.startsWith(hint)).toBe(true);
  expect(hint).toHaveLength(8);
});

test("no two are alike", () => {
  expect(new Set(Array.from({ length: 1_000 }, () => createSecret().secret)).size).toBe(1_000);
});
