import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, MAX_TEXT_LENGTH, parseText } from "@cloud/rpc";

/** A text of a connection or credential. @throws INVALID_PARAMETER over 255 characters. */
export function parseField(parameter: string, value: string): string {
  const accepts = `at most ${MAX_TEXT_LENGTH} characters`;
  return parseText(value, () => fail(Reason.INVALID_PARAMETER, { parameter, accepts }));
}

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
