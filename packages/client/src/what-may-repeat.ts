import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "@cloud/proto/google/api/annotations_pb";

/** Returns whether an RPC creates a record: at most once for each idempotency key. */
export const createsRecord = ({ name }: DescMethod): boolean => name.startsWith("Create");

/**
 * Returns whether a call has the same outcome if it is sent again after it may have been processed:
 *
 * - a read, by its REST rule;
 * - a creation with an idempotency key, whose first reply is stored;
 * - an assignment, which returns the link that exists;
 * - an update without an entity tag. With one, the first try may have changed the tag, and the second would fail.
 *
 * A deletion is not: the second would fail with NOT_FOUND, as if the first had not taken place.
 */
export function mayRepeat(method: DescMethod, input: object, header: Headers): boolean {
  if (createsRecord(method)) return header.has("Idempotency-Key");
  if (method.name.startsWith("Assign")) return true;
  const verb = verbOf(method);
  return verb === "get" || (verb === "put" && !hasEntityTag(input, header));
}

function hasEntityTag(input: object, header: Headers): boolean {
  return header.has("If-Match") || ("etag" in input && input.etag !== undefined && input.etag !== "");
}

/** Kept, because to decode an option costs more than to look it up. */
const verbs = new WeakMap<DescMethod, string | undefined>();

function verbOf(method: DescMethod): string | undefined {
  if (!verbs.has(method)) verbs.set(method, hasOption(method, http) ? getOption(method, http).pattern.case : undefined);
  return verbs.get(method);
}
