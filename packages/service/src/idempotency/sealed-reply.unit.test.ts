import { expect, test } from "@jest/globals";
import { openReply, sealReply } from "./sealed-reply.ts";

const seal = { key: "8e03978e-40d5-43dd-bc93-6894a57f9324", scope: "a caller and an RPC" };
const reply = Buffer.from("a secret");

test("what was sealed opens with the same key and scope only", () => {
  const sealed = sealReply(seal, reply);
  expect(Buffer.from(openReply(seal, sealed))).toEqual(reply);
  expect(() => openReply({ ...seal, key: "another" }, sealed)).toThrow("authenticate");
  expect(() => openReply({ ...seal, scope: "another" }, sealed)).toThrow("authenticate");
});

test("contains neither the reply nor the key, and differs each time", () => {
  const sealed = sealReply(seal, reply);
  expect(sealed.includes(reply)).toBe(false);
  expect(sealed.includes(seal.key)).toBe(false);
  expect(sealReply(seal, reply).equals(sealed)).toBe(false);
});

test("a change of any byte is noticed", () => {
  const sealed = sealReply(seal, reply);
  for (const index of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] as number) ^ 1;
    expect(() => openReply(seal, changed)).toThrow("authenticate");
  }
});

test("an empty reply", () => {
  expect(openReply(seal, sealReply(seal, Buffer.alloc(0)))).toHaveLength(0);
});
