import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

const BYTES = 64 * 1024;
const LEVELS = 32;
const KEYS = 1_000;
const CHARACTERS = 255;

/** Texts of `length` characters. */
const textsOf = (length: number): readonly string[] => [
  "x".repeat(length),
  "😀".repeat(length),
  "é\u0001".repeat(length).slice(0, length),
];

/** The longest list of an item in metadata of at most `bytes` bytes, filled up to exactly as many by a text. */
function listOf(item: JsonValue, bytes: number): JsonObject {
  const each = Buffer.byteLength(JSON.stringify(item)) + 1;
  const frame = Buffer.byteLength(JSON.stringify({ list: [], text: "" }));
  const count = Math.floor((bytes - frame) / each);
  const list = Array<JsonValue>(count).fill(item);
  const text = "x".repeat(bytes - Buffer.byteLength(JSON.stringify({ list, text: "" })));
  return { list, text };
}

const textOf = (bytes: number): JsonObject => ({
  text: "x".repeat(bytes - Buffer.byteLength(JSON.stringify({ text: "" }))),
});

/** Objects and arrays by turns, the metadata itself being the first level. */
function nested(levels: number): JsonObject {
  let value: JsonValue = levels % 2 === 0 ? [] : {};
  for (let level = levels - 1; level > 0; level--) value = level % 2 === 0 ? [value] : { a: value };
  return value as JsonObject;
}

/** Keys of two objects together. */
const keyed = (count: number): JsonObject => ({
  inner: Object.fromEntries(Array.from({ length: count - 1 }, (_, index) => [`k${index}`, index])),
});

/** Metadata at each of its limits. */
const METADATA: Readonly<Record<string, (over: 0 | 1) => JsonObject>> = {
  "64 KiB of text": (over) => textOf(BYTES + over),
  "64 KiB of zeros": (over) => listOf(0, BYTES + over),
  // Postgres writes each out: 1 and 308 zeros.
  "64 KiB of written out numbers": (over) => ({ list: Array<number>(208 + over).fill(1e308) }),
  "64 KiB of control characters": (over) => listOf("\u0001", BYTES + over),
  "64 KiB of empty objects": (over) => listOf({}, BYTES + over),
  "64 KiB of characters beyond ASCII": (over) => listOf("é😀", BYTES + over),
  "1,000 keys": (over) => keyed(KEYS + over),
  "32 levels": (over) => nested(LEVELS + over),
  // Numbers and names that a conversion may change.
  "values of all kinds": () => ({
    a: [0.1, -1.5e-300, 2 ** 53, true, null, "", {}],
    __proto: {},
    "": 1,
    "a.b": "\u2028",
  }),
};

/** Values at their limits, or one above them: a field, what it contains, and what it is called. */
export function limitValues(over: 0 | 1, texts: readonly string[], hasMetadata: boolean) {
  const ofTexts = texts.flatMap((field) =>
    textsOf(CHARACTERS + over).map((value, index) => ({ field, what: `${field} ${index}`, value: value as JsonValue })),
  );
  const kinds = hasMetadata ? Object.entries(METADATA) : [];
  const limited = kinds.filter(([what]) => over === 0 || what !== "values of all kinds");
  return [...ofTexts, ...limited.map(([what, make]) => ({ field: "metadata", what, value: make(over) as JsonValue }))];
}
