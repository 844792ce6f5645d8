import { type SqlText, sql } from "@cloud/postgres";
import { countOthers } from "./live-counts.ts";

/**
 * Returns the condition that an id is among those of the links of a workspace or, unless `assigned`, is not. Postgres reads
 * the links into a hash table first, at 0.2 µs for each: no join, whose plan would depend on statistics. The limit, the
 * most links that there are, makes it expect that they fit into its memory whatever the statistics are; otherwise it would
 * compare each id with all of them. `case` has no selectivity that is known: of \`is null\` Postgres expects few rows, and
 * then reads and sorts the whole list.
 */
export function isAmongLinks(id: SqlText, linkedIds: SqlText, assigned: boolean): SqlText {
  const [linked, others] = assigned ? [sql`true`, sql`false`] : [sql`false`, sql`true`];
  return sql`
    case when ${id} in (
      ${linkedIds}
      limit 200000
    ) then ${linked} else ${others} end`;
}

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
  if (ids.length > FEW) {
    const isAmong = (assigned: boolean) => isAmongLinks(sql`id`, sql`select unnest($2::uuid[])`, assigned);
    const list = { from: records, where: sql`${live} and ${isAmong(assigned)}`, isLong: true };
    return assigned ? list : { ...list, count: countOthers(countLive, records, sql`${live} and ${isAmong(true)}`) };
  }
  // `offset 0` keeps Postgres from looking for them among all records, which it would in a plan for any ids.
  const found = sql`
    (
      select *
      from ${records}
      where id = any($2::uuid[])
      offset 0
    ) ${records}`;
  if (assigned) return { from: found, where: live, isPlannedOnce: true };
  const count = countOthers(countLive, found, live);
  return { from: records, where: sql`${live} and id <> all($2::uuid[])`, isPlannedOnce: true, count };
}
