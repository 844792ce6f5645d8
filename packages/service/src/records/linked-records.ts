import { type SqlText, sql } from "@cloud/postgres";
import { isAmongLinks } from "./is-among-links.ts";
import { countOthers } from "./live-counts.ts";

/** Bytes of 1,000 ids: so many records are found by their ids, and compared with them one by one. */
const FEW = 16 * 1_000;

interface LinkedList {
  readonly records: SqlText;
  /** Of the linked records, 16 bytes each. */
  readonly ids: Uint8Array;
  /** Whether the list contains the linked records, or the others. */
  readonly assigned: boolean;
  /** The condition on the live records of the organization, whose id is `$1`, and their number. */
  readonly live: SqlText;
  readonly countLive: SqlText;
}

/**
 * Describes the list of an organization's records that are linked to a workspace, or of the others, by the ids of all
 * links, which are `$2`. Many ids become a hash table, which Postgres fills once for each part of a statement: `= any` would
 * look up each of them, and planning it would examine each, too (docs/adr/0036).
 */
export function linkedRecords({ records, ids, assigned, live, countLive }: LinkedList) {
  const isLong = ids.length > FEW;
  const among = (assigned: boolean) => {
    if (isLong) return isAmongLinks(sql`id`, sql`select unnest($2::uuid[])`, assigned);
    return assigned ? sql`id = any($2::uuid[])` : sql`id <> all($2::uuid[])`;
  };
  const where = sql`${live} and ${among(assigned)}`;
  return assigned
    ? { where, isLong }
    : { where, isLong, count: countOthers(countLive, records, sql`${live} and ${among(true)}`) };
}
