import type { JsonObject } from "@bufbuild/protobuf";

/** Metadata as jsonb takes it: its strings and keys without U+0000 and lone surrogates, which Postgres refuses. */
export function metadataToJson(metadata: JsonObject | undefined): string {
  return JSON.stringify(metadata ?? {}, (_key, value: unknown) => storable(value));
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

const storableText = (text: string) => text.replaceAll("\u0000", "").toWellFormed();
