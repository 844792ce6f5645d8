import type { OrganizationId } from "@cloud/access/values";
import { parameter, type SqlText, sql } from "@cloud/postgres";

// Conditions and counts for the lists of records: of one or several organizations, and of the links of a workspace.

/**
 * Describes the lists of organizations, whose parameter is `$n`. For one organization the condition is `=`, so that an
 * index has the rows in the order of the list: Postgres cannot use that order with `= any`, and needed 670 ms for the
 * first page of 1,000,000 records instead of 0.03. Lists of several use indexes that have the order without the
 * organization (`USE_ALL_ORGANIZATIONS_INDEX`).
 */
export function inOrganizations(ids: readonly OrganizationId[], n: number) {
  const [only] = ids;
  const isOne = only !== undefined && ids.length === 1;
  const among = isOne ? sql`= ${parameter(n)}::uuid` : sql`= any(${parameter(n)}::uuid[])`;
  const scope = isOne ? sql`${parameter(n)}::uuid` : undefined;
  return {
    /** The condition that a record is in one of the organizations. */
    condition: isOne ? sql`organization_id ${among}` : sql`organization_id ${among} and ${USE_ALL_ORGANIZATIONS_INDEX}`,
    param: isOne ? only : ids,
    /** The count of the list that the condition on `list` selects in `live_counts`. */
    count: (isList: SqlText) => liveCount(isList, among),
    /** Returns the search of these columns by the index of their keys. */
    searching: (...columns: SqlText[]) => ({
      searchColumns: columns,
      searchBy: { keys: searchKeys(sql`organization_id`, columns), scope },
    }),
  };
}

/**
 * A condition that is always true. Only with it does Postgres consider the indexes of the lists of all organizations.
 */
export const USE_ALL_ORGANIZATIONS_INDEX = sql`id >= '00000000-0000-0000-0000-000000000000'`;

interface LinkedList {
  readonly records: SqlText;
  /** The ids of the linked records, 16 bytes each. */
  readonly ids: Uint8Array;
  /** Whether the list contains the linked records, or the others. */
  readonly assigned: boolean;
  /** The condition on the live records of the organization, whose id is `$1`, and their number. */
  readonly live: SqlText;
  readonly countLive: SqlText;
}

/**
 * Describes the list of an organization's records that are linked to a workspace, or of the others, by the ids of all
 * links, which are `$2`. Many ids become a hash table, which Postgres fills once for each part of a statement: `= any`
 * would look up each of them, and planning it would examine each, too (docs/adr/0036).
 */
export function linkedRecords({ records, ids, assigned, live, countLive }: LinkedList) {
  if (ids.length > FEW) {
    const isAmong = (assigned: boolean) => isAmongLinks(sql`id`, sql`select unnest($2::uuid[])`, assigned);
    const list = { from: records, where: sql`${live} and ${isAmong(assigned)}`, isLong: true };
    return assigned ? list : { ...list, count: countOthers(countLive, records, sql`${live} and ${isAmong(true)}`) };
  }
  // Without `offset 0`, a plan for any ids would look for these among all records.
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

/** Bytes of 1,000 ids: up to so many records are found by their ids, and compared with them one by one. */
const FEW = 16 * 1_000;

/**
 * Returns the condition that an id is linked to a workspace or, unless `assigned`, is not. Postgres reads the links
 * into a hash table first, at 0.2 µs for each: no join, whose plan would depend on statistics. The limit, the most
 * links that there are, makes it expect that they fit into its memory whatever the statistics are; otherwise it would
 * compare each id with all of them. The selectivity of `case` is unknown to Postgres: of `is null` it would expect few
 * rows, and then read and sort the whole list.
 */
export function isAmongLinks(id: SqlText, linkedIds: SqlText, assigned: boolean): SqlText {
  const [linked, others] = assigned ? [sql`true`, sql`false`] : [sql`false`, sql`true`];
  return sql`
    case when ${id} in (
      ${linkedIds}
      limit 200000
    ) then ${linked} else ${others} end`;
}

/**
 * Returns the number of rows of a list in some scopes, as its triggers count them (migrations/0003_live_counts.sql).
 * `isList` is a condition on `list`; `among` is one on the scope, without it: `= $1`.
 */
export const liveCount = (isList: SqlText, among: SqlText) => sql`
  (
    select coalesce(sum(count), 0)
    from live_counts
    where ${isList} and scope ${among}
  )`;

/** Returns the number of rows of a list that are not in a short list: `all`, less the rows that are in it. */
export const countOthers = (all: SqlText, from: SqlText, areAmong: SqlText) => sql`
  ${all} - (
    select count(*)
    from ${from}
    where ${areAmong}
  )`;

/** Returns the expression of the search index of a table, as its migration has it. */
export function searchKeys(scope: SqlText, columns: readonly SqlText[]): SqlText {
  const [first, ...others] = columns;
  if (first === undefined) throw new TypeError("a search needs columns");
  const text = others.reduce((all, column) => sql`${all} || e'\n' || ${column}`, first);
  return sql`search_keys(${scope}, ${text})`;
}
