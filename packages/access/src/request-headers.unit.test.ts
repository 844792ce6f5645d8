import { describe, expect, test } from "@jest/globals";
import { codeOf, reasonOf } from "./errors/fail.ts";
import { parseEntityTags, parseIdempotencyKey } from "./request-headers.ts";

const many = (count: number) => Array.from({ length: count }, (_, n) => `"${n}"`);

describe("parseEntityTags", () => {
  test.each<[sent: string, tags: readonly string[] | null]>([
    ["*", null],
    [" * ", null],
    ['"a"', ['"a"']],
    ['""', ['""']],
    ['"a", "b"', ['"a"', '"b"']],
    ['"a","b"', ['"a"', '"b"']],
    [' , "a" ,, \t"b",', ['"a"', '"b"']],
    ['"a,b"', ['"a,b"']],
    ['"*"', ['"*"']],
    ['W/"a"', []],
    ['W/"a", "b"', ['"b"']],
    [many(100).join(), many(100)],
  ])("%j", (sent, tags) => {
    expect(parseEntityTags("If-Match", sent)).toEqual(tags);
  });

  test.each([
    "",
    " ",
    ",",
    "a",
    '"a',
    'a"',
    '"a""b"',
    '"a" "b"',
    '"a b"',
    '*, "a"',
    '"a", *',
    'w/"a"',
    'W/ "a"',
    "'a'",
    '"\u0000"',
    '"\u00e9"',
    '"a"\n',
    many(101).join(),
    '"'.repeat(100_001),
  ])("%j is malformed", (sent) => {
    let error: unknown;
    try {
      parseEntityTags("If-Match", sent);
    } catch (thrown) {
      error = thrown;
    }
    expect(codeOf(reasonOf(error))).toBe("INVALID_PARAMETER");
    expect((error as Error).message).toContain("If-Match must be * or entity tags");
  });
});

test.each(["a", " ", "~", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "x".repeat(255)])("%j is taken as it is", (key) => {
  expect(parseIdempotencyKey(key)).toBe(key);
});

test.each(["", "x".repeat(256), "\t", "a\nb", "\u007f", "é"])("%j is refused", (key) => {
  let error: unknown;
  try {
    parseIdempotencyKey(key);
  } catch (thrown) {
    error = thrown;
  }
  expect([codeOf(reasonOf(error)), (error as Error).message]).toEqual([
    "INVALID_PARAMETER",
    expect.stringContaining("Idempotency-Key must be 1 to 255 printable ASCII characters"),
  ]);
});
