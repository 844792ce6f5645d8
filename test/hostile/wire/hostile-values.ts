import type { JsonValue } from "@bufbuild/protobuf";
import type { Random } from "@cloud/testkit/figures";

const TEXTS: readonly [string, ...string[]] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u{FEFF}",
  "\u{202E}txt",
  "e\u0301".repeat(60),
  "\u{1F600}".repeat(64),
  "\uD800",
  "x".repeat(255),
  "x".repeat(256),
  "y".repeat(5000),
  "all",
  "null",
  "undefined",
  "NaN",
  "true",
  "-1",
  "0",
  "1e400",
  "9007199254740993",
  "99999999999999999999",
  "%00",
  "%",
  "..",
  "../../etc/passwd",
  "<script>alert(1)</script>",
  "\r\nX-Injected: yes",
  "#{7*7}",
  "{{7*7}}",
  "' or '1'='1",
  "11111111-1111-1111-1111-111111111111",
  "00000000-0000-0000-0000-000000000000",
  "not-a-uuid",
  "__proto__",
  "constructor",
  "2026-02-30T00:00:00Z",
  "created_at desc",
  "created_at; drop",
  "private,public",
  "Provider Admin",
  '{"assigned":false}',
  '{"assigned":"x"}',
  "[",
];

/** A text that programs mistake for something else, or random characters. */
export function hostileText(random: Random): string {
  if (random.chance(70)) return random.pick(TEXTS);
  const length = random.between(0, 40);
  return Array.from({ length }, () => String.fromCodePoint(random.between(0, random.chance(80) ? 0x7f : 0xd7ff))).join(
    "",
  );
}

/** Any JSON, of any shape, at most about 60 deep. */
export function hostileJson(random: Random, depth = 0): JsonValue {
  const scalar = (): JsonValue =>
    random.pick<() => JsonValue>([
      () => null,
      () => true,
      () => random.between(-10, 10),
      () => random.pick([0.5, -0, 1e308, 2 ** 53, 2 ** 31, -(2 ** 31) - 1]),
      () => hostileText(random),
    ])();
  if (depth > 3 || random.chance(60)) return scalar();
  if (random.chance(10)) return nested(random.between(20, 60));
  const members = random.between(0, 4);
  if (random.chance(50)) return Array.from({ length: members }, () => hostileJson(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: members }, () => [hostileText(random).slice(0, 50), hostileJson(random, depth + 1)]),
  );
}

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Changes, inserts, drops and repeats bytes. */
export function mutateBytes(random: Random, bytes: Uint8Array): Buffer<ArrayBuffer> {
  const out = [...bytes];
  for (let count = random.between(1, 4); count > 0; count--) {
    const at = random.between(0, out.length);
    random.pick([
      () => out.splice(at, 1, random.between(0, 255)),
      () => out.splice(at, 0, ...randomBytesOf(random, random.between(1, 8))),
      () => out.splice(at, random.between(1, 8)),
      () => out.splice(at),
      () => out.splice(at, 0, ...out.slice(0, 16)),
    ])();
  }
  return Buffer.from(out);
}

export function randomBytesOf(random: Random, length: number): Buffer<ArrayBuffer> {
  return Buffer.from(Array.from({ length }, () => random.between(0, 255)));
}
