import { parameter, type SqlText, sql } from "@cloud/postgres";

/**
 * The condition that a row has one of the entity tags of the parameter `$n`, or that the parameter is null. An update that
 * waits for another one evaluates it again with the row that the other one has written, so that of several updates that
 * require the same tag one succeeds.
 */
export const hasTag = (n: number): SqlText =>
  sql`(${parameter(n)}::text[] is null or etag = any(${parameter(n)}::text[]))`;
