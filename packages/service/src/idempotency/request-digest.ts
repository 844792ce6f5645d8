import { hash } from "node:crypto";
import { type DescMessage, type JsonValue, type MessageShape, toJson } from "@bufbuild/protobuf";

/**
 * Returns the SHA-256 of a request by its fields: requests that differ only in how they are written, such as by REST and by
 * RPC, by the order of their fields, or by fields that the API does not have, have equal ones.
 */
export function digestOfRequest<Type extends DescMessage>(type: Type, request: MessageShape<Type>): Buffer {
  return hash("sha256", JSON.stringify(sorted(toJson(type, request))), "buffer");
}

/** Sorts the keys of objects: `metadata` keeps the order in which its keys were sent. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
