import { create, fromBinary, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { CreateWorkspaceRequestSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { expect, test } from "@jest/globals";
import { digestOfRequest, openReply, sealReply } from "./create-once.ts";

const type = CreateWorkspaceRequestSchema;
const digestOf = (json: JsonValue) =>
  digestOfRequest(type, fromJson(type, json, { ignoreUnknownFields: true })).toString("hex");
const first = { organizationId: "a", name: "b", metadata: { x: 1, y: [{ p: null, q: true }] } };

test.each<[what: string, json: JsonValue]>([
  ["in another order", { metadata: { y: [{ q: true, p: null }], x: 1 }, name: "b", organizationId: "a" }],
  ["in other spellings", { organization_id: "a", name: "b", metadata: first.metadata }],
  ["with unknown fields", { ...first, unknown: 1 }],
  ["with an empty text that may be absent", { ...first, description: "" }],
])("a request %s has the same digest", (_what, json) => {
  expect(digestOf(json)).toBe(digestOf(first));
});

test("so has one that came in bytes", () => {
  const message = fromBinary(type, toBinary(type, create(type, { organizationId: "a", name: "b" })));
  expect(digestOfRequest(type, message).toString("hex")).toBe(digestOf({ organizationId: "a", name: "b" }));
});

test.each<[what: string, json: JsonValue]>([
  ["a text", { ...first, name: "c" }],
  ["texts in each other's place", { ...first, organizationId: "b", name: "a" }],
  ["a number", { ...first, metadata: { ...first.metadata, x: 2 } }],
  ["the order of a list", { ...first, metadata: { x: 1, y: [true, null] } }],
  ["an absent object", { organizationId: "a", name: "b" }],
])("a request with another value has another one: %s", (_what, json) => {
  expect(digestOf(json)).not.toBe(digestOf(first));
});

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
