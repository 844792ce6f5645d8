import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";

const MAX_BYTES = 64 * 1024;
const MAX_KEYS = 1_000;
/** Objects and arrays within each other, the metadata itself included. */
const MAX_LEVELS = 32;

/**
 * Returns metadata as jsonb takes it: its strings and keys without U+0000, which Postgres refuses. Absent metadata is empty.
 *
 * @throws INVALID_PARAMETER over 64 KiB of JSON with its numbers written out, 1,000 keys in all its objects, or 32 levels,
 * for a number that is not finite, and for half of a surrogate pair
 */
export function parseMetadata(metadata: JsonObject = {}): string {
  // Before it is written: JSON.stringify recurses, and what a service decodes itself may be nested deep enough for that.
  assertNesting(metadata);
  let keys = 0;
  let digits = 0;
  const json = JSON.stringify(metadata, (_key, value: unknown) => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) keys += Object.keys(value).length;
    if (typeof value === "number") digits += hiddenDigits(finite(value));
    return storable(value);
  });
  if (keys > MAX_KEYS) throw refused("of at most 1,000 keys"); // protects: metadata-keys
  if (Buffer.byteLength(json) + digits > MAX_BYTES) throw refused("of at most 64 KiB"); // protects: metadata-bytes
  return json;
}

function assertNesting(value: unknown, level = 1): void {
  if (typeof value !== "object" || value === null) return;
  if (level > MAX_LEVELS) throw refused("nested at most 32 deep"); // protects: metadata-levels
  for (const one of Object.values(value)) assertNesting(one, level + 1);
}

/** Returns how many digits Postgres writes out that the exponent hides: 1e308 has 309, and 64 KiB of it were 3.4 MB. */
function hiddenDigits(value: number): number {
  const exponent = /e[+-](\d+)$/.exec(String(value))?.[1];
  return exponent === undefined ? 0 : Number(exponent);
}

/** 1e400 is read as infinity, which JSON cannot contain: it would be stored as null. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw refused("of numbers that a double can hold");
  return value;
}

function refused(limit: string) {
  return fail(Reason.INVALID_PARAMETER, { parameter: "metadata", accepts: "a JSON object " + limit });
}

function storable(value: unknown): unknown {
  if (typeof value === "string") {
    return storableText(value);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [storableText(key), one]));
}

/** JSON can spell half of a surrogate pair, which UTF-8 cannot contain: it would be stored as U+FFFD. */
function storableText(text: string): string {
  if (!text.isWellFormed())
    throw fail(Reason.INVALID_PARAMETER, { parameter: "metadata", accepts: "of valid Unicode" });
  return text.replaceAll("\u0000", "");
}
