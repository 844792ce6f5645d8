import { expect, test } from "@jest/globals";
import { formatCursor, parseCursor } from "./cursor.ts";

const cursor = { createdAt: new Date("2026-11-22T07:08:09.123Z"), id: "01890000-0000-7000-8000-000000000000" };
const text = formatCursor(cursor);

test("a cursor is read as it was written, and is safe in a URL", () => {
  expect(text).toMatch(/^[\w-]+$/);
  expect(parseCursor(text)).toEqual(cursor);
  expect(parseCursor("")).toBeUndefined();
});

const encoded = (plain: string) => Buffer.from(plain).toString("base64url");
test.each([
  "x",
  "\u0000",
  text + "=",
  text + "A",
  text.slice(1),
  encoded(cursor.id),
  encoded("." + cursor.id),
  encoded("-1." + cursor.id),
  encoded("01." + cursor.id),
  encoded("999999999999999." + cursor.id),
  encoded("1." + "x".repeat(36)),
])("%j is refused", (malformed) => {
  expect(() => parseCursor(malformed)).toThrow("cursor must be a cursor from an earlier reply");
});
