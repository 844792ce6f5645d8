import { parseEntityTags, type RequiredTags } from "@cloud/access";
import { fail } from "@cloud/access/errors";
import { orThrow } from "@cloud/access/values";
import { parameter, type SqlText, sql } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { CallContext } from "../bind-handlers.ts";

/**
 * Returns the condition that a row has one of the entity tags of the parameter `$n`, or that the parameter is null. An
 * update that waits for another one evaluates it again with the row that the other has written, so only one of several
 * updates that require the same tag succeeds.
 */
export const hasTag = (n: number): SqlText =>
  sql`(${parameter(n)}::text[] is null or etag = any(${parameter(n)}::text[]))`;

/** A request that changes or deletes a record. */
interface ConditionalRequest {
  /** The entity tags as sent; empty if absent. */
  readonly etag: string;
}

/** A row of a record that changes its tag with each write (migrations/0007_etags.sql). */
interface TaggedRow {
  readonly etag: string;
}

/**
 * Returns the entity tags that are accepted of the record: by the header If-Match and by the request's `etag`, by both
 * if both are sent.
 *
 * @throws INVALID_PARAMETER
 */
export function requiredTags({ ifMatch }: Pick<CallContext, "ifMatch">, request: ConditionalRequest): RequiredTags {
  const byHeader = ifMatch === undefined ? null : parseEntityTags("If-Match", ifMatch);
  const byField = request.etag === "" ? null : parseEntityTags("etag", request.etag);
  if (byHeader === null || byField === null) return byHeader ?? byField;
  return byHeader.filter((tag) => byField.includes(tag));
}

/** Throws unless the row, which the caller has locked, has one of the tags. @throws PRECONDITION_FAILED */
export function assertHasTag({ etag }: TaggedRow, tags: RequiredTags): void {
  if (tags !== null && !tags.includes(etag)) {
    throw fail(Reason.PRECONDITION_FAILED);
  }
}

/**
 * Returns the row that a statement with the condition `hasTag` has changed. Where tags are required, a record that was
 * deleted since it was found counts as changed: it has no tag any more (RFC 9110, 13.1.1).
 *
 * @throws PRECONDITION_FAILED, or `notFound` where no tags are required
 */
export function changedRow<Row>(row: Row | undefined, tags: RequiredTags, notFound: Reason): Row {
  return orThrow(row, tags === null ? notFound : Reason.PRECONDITION_FAILED);
}
