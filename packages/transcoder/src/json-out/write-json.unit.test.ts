import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { AnswerTooLarge, writeJson } from "./write-json.ts";

const REPLIES: readonly JsonValue[] = [
  null,
  "text",
  [],
  {},
  { page: 0, designs: [{ id: "é\u0001", deletedAt: null }, {}], "a\nb": [[1, 2], []], metadata: { deep: { er: [0] } } },
];

test.each(REPLIES)("writes what JSON.stringify writes: %j", (reply) => {
  const expected = JSON.stringify(reply);
  expect(writeJson(reply, Buffer.byteLength(expected))).toBe(expected);
  expect(() => writeJson(reply, Buffer.byteLength(expected) - 1)).toThrow(AnswerTooLarge);
});

test("writes no item after the one that is too large", () => {
  let written = 0;
  const item = { toJSON: () => "x".repeat(100 * ++written) } as unknown as JsonValue;
  expect(() => writeJson({ designs: Array<JsonValue>(1_000).fill(item) }, 1_000)).toThrow(AnswerTooLarge);
  expect(written).toBeLessThan(10);
});
