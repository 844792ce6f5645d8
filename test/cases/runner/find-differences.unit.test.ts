import { describe, expect, test } from "@jest/globals";
import { findDifferences } from "./find-differences.ts";

const exactly = { absentIsNull: false };
const UUID = "01890000-0000-7000-8000-000000000000";

describe("findDifferences reports", () => {
  test.each<[unknown, unknown, string[]]>([
    [1, "1", ['body: expected 1, got "1"']],
    [null, undefined, ["body: expected null, got nothing"]],
    [null, 0, ["body: expected null, got 0"]],
    [{}, [], ["body: expected {}, got []"]],
    [{}, null, ["body: expected {}, got null"]],
    [{ a: { b: 1 } }, { a: {} }, ["body.a.b: expected 1, got nothing"]],
    [{ a: 1, b: 2 }, { a: 2, b: 1 }, ["body.a: expected 1, got 2", "body.b: expected 2, got 1"]],
    [[1], {}, ["body: expected [1], got {}"]],
    [[], [1], ["body.length: expected 0, got 1"]],
    [[1], [], ["body.length: expected 1, got 0"]],
    [
      [1, 2],
      [2, 1],
      ["body[0]: expected 1, got 2", "body[1]: expected 2, got 1"],
    ],
    ["<uuid>", "w", ['body: expected "<uuid>", got "w"']],
    ["<time>", "2026-01-01", ['body: expected "<time>", got "2026-01-01"']],
    ["<time>", "2026-13-01T00:00:00.000Z", ['body: expected "<time>", got "2026-13-01T00:00:00.000Z"']],
    ["<int>", 1.5, ['body: expected "<int>", got 1.5']],
    ["<string>", 1, ['body: expected "<string>", got 1']],
    ["<any>", undefined, ['body: expected "<any>", got nothing']],
    ["<absent>", null, ['body: expected "<absent>", got null']],
    ["/^a+$/", "ab", ['body: expected "/^a+$/", got "ab"']],
    [{ contains: [1, 2] }, [1], ["body contains: expected 2, got [1]"]],
    [{ excludes: [{ a: 1 }] }, [{ a: 1, b: 2 }], ['body excludes: expected {"a":1}, got [{"a":1,"b":2}]']],
    [{ contains: [1] }, undefined, ['body: expected {"contains":[1]}, got nothing']],
  ])("%j from %j", (expected, got, differences) => {
    expect(findDifferences(expected, got, exactly)).toEqual(differences);
  });
});

test.each<[unknown, unknown]>([
  [{ a: 1 }, { a: 1, b: 2 }],
  [
    [{ a: 1 }, {}],
    [{ a: 1, b: 2 }, { c: 3 }],
  ],
  ["<uuid>", UUID],
  ["<time>", "2026-01-01T00:00:00.000Z"],
  ["<int>", 0],
  ["<string>", ""],
  ["<any>", null],
  ["<absent>", undefined],
  ["/^a+$/", "aa"],
  ["/", "/"],
  [{ contains: [{ a: 2 }], excludes: [{ a: 3 }] }, [{ a: 1 }, { a: 2 }]],
  [{}, { contains: [] }],
])("%j is matched by %j", (expected, got) => {
  expect(findDifferences(expected, got, exactly)).toEqual([]);
});

test("by RPC an absent Timestamp is null", () => {
  expect(findDifferences({ deletedAt: null }, {}, { absentIsNull: true })).toEqual([]);
  expect(findDifferences({ deletedAt: null }, { deletedAt: "" }, { absentIsNull: true })).toHaveLength(1);
});
