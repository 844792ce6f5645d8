import { describe, expect, test } from "@jest/globals";
import {
  advanceLogCursor,
  formatCursor,
  formatLogCursor,
  type LastLine,
  parseCursor,
  parseLogCursor,
} from "./cursors.ts";

describe("cursor", () => {
  const cursor = { createdAt: new Date("2026-11-22T07:08:09.123Z"), id: "01890000-0000-7000-8000-000000000000" };
  const text = formatCursor(cursor);

  test("a cursor is read as it was written, and is safe in a URL", () => {
    expect(text).toMatch(/^[\w-]+$/);
    expect(parseCursor(text)).toMatchObject(cursor);
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
});

describe("log cursor", () => {
  const ID = "01890000-0000-7000-8000-000000000000";
  const line = (ms: number, snapshot: string): LastLine => ({ created_at: new Date(ms), id: ID, snapshot });

  describe("advanceLogCursor", () => {
    test("has one place while lines come in their order", () => {
      const first = advanceLogCursor([], line(1, "5:9:5,7"));
      expect(first).toEqual([{ createdAt: new Date(1), id: ID, upTo: "9", running: ["5", "7"] }]);
      expect(advanceLogCursor(first, line(2, "9:9:"))).toEqual([
        { createdAt: new Date(2), id: ID, upTo: "9", running: [] },
      ]);
    });

    test("keeps the places after a line that came late, at most four", () => {
      let cursor = advanceLogCursor([], line(9, "1:1:"));
      for (const ms of [8, 7, 6, 5]) cursor = advanceLogCursor(cursor, line(ms, "1:1:"));
      expect(cursor.map(({ createdAt }) => createdAt.getTime())).toEqual([5, 6, 7, 8]);
      expect(advanceLogCursor(cursor, line(8, "1:1:"))).toHaveLength(1);
    });
  });

  test("a cursor is read as it was written, and is safe in a URL", () => {
    const cursor = advanceLogCursor(advanceLogCursor([], line(9, "5:9:5,7")), line(8, "9:9:"));
    const text = formatLogCursor(cursor);
    expect(text).toMatch(/^[\w-]+$/);
    expect(parseLogCursor(text)).toEqual(cursor);
    expect(parseLogCursor("")).toEqual([]);
  });

  test("a cursor without transactions expects no late lines", () => {
    const text = formatCursor({ createdAt: new Date(5), id: ID });
    expect(parseLogCursor(text)).toMatchObject([{ createdAt: new Date(5), upTo: "18446744073709551615", running: [] }]);
    expect(formatLogCursor(parseLogCursor(text))).toBe(text);
  });

  const encoded = (plain: string) => Buffer.from(plain).toString("base64url");
  test.each([
    "x",
    encoded(`1.${ID}:`),
    encoded(`1.${ID}:5`),
    encoded(`1.${ID}:5:,`),
    encoded(`1.${ID}:5:6,`),
    encoded(`1.${ID}:18446744073709551616:`),
    encoded(`1.${ID}:5:18446744073709551616`),
    encoded(`1.${ID}:-5:`),
    encoded(`1.${ID}/`),
    encoded(Array(5).fill(`1.${ID}:5:`).join("/")),
    encoded(`1.${ID}:5:${"6,".repeat(40_000)}6`),
    `${encoded(`1.${ID}:5:`)}=`,
  ])("%j is refused", (text) => {
    expect(() => parseLogCursor(text)).toThrow("cursor must be a cursor from an earlier reply");
  });
});
