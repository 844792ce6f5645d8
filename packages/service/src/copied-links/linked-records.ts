import type { ListParameters, OrganizationId } from "@cloud/contract";
import { parameter, type SqlText, sql } from "@cloud/postgres";
import { isAmongLinks } from "../records/is-among-links.ts";
import type { LinkState } from "./workspace-links.ts";

/** The records of as many links, or fewer, are read by their ids and sorted: however few of all records they are. */
const FEW_LINKS = 5_000;

/** Reading a link into memory takes as long as looking up so much of one. */
const READ_PER_LOOK_UP = 0.17;

/** A page of the records of an organization that are linked to a workspace if `assigned`, or of the others. */
export interface LinkedSelection {
  readonly organizationId: OrganizationId;
  readonly links: LinkState;
  readonly assigned: boolean;
  readonly query: ListParameters;
}

interface LinkedList {
  readonly records: SqlText;
  readonly assigned: boolean;
  /** The number of links of the workspace. */
  readonly links: bigint;
  /** The condition on the live records of the organization, and their number. */
  readonly live: SqlText;
  readonly countLive: SqlText;
}

/**
 * Describes the list of the records that are linked to the workspace `$n`, by the copy of its links, or of the others.
 *
 * Looks up each link, or for a long list each record in its order until the page is full; for many records it reads all
 * links into memory first: page 1,000 of 100,000 links took 80 ms of processor time by look-ups, and 44 that way. All are
 * subqueries that Postgres cannot turn into joins: their plans would depend on statistics, which lag behind what a call has
 * just copied.
 */
export function linkedRecords({ records, assigned, links, live, countLive }: LinkedList, n: number) {
  const workspaceId = parameter(n);
  const liveLinks = sql`coalesce((select live_links from link_copies where workspace_id = ${workspaceId}), 0)`;
  const isLinked = sql`
    (
      select true
      from copied_links
      where workspace_id = ${workspaceId} and record_id = id
    )`;
  const linkedIds = sql`
    select record_id
    from copied_links
    where workspace_id = ${workspaceId}`;
  const inOrder = (isListed: SqlText) => ({
    from: records,
    where: sql`${live} and ${isListed}`,
    whereMany: {
      where: sql`${live} and ${isAmongLinks(sql`id`, linkedIds, assigned)}`,
      rows: READ_PER_LOOK_UP * Number(links),
    },
  });
  // No `is null`, of which Postgres expects few rows: to search 100,000 others it looked all of them up and sorted them, in
  // 0.9 s instead of 0.02.
  const isNotLinked = sql`case when ${isLinked} then false else true end`;
  if (!assigned) return { ...inOrder(isNotLinked), count: sql`${countLive} - ${liveLinks}` };
  if (links > FEW_LINKS) return { ...inOrder(isLinked), count: liveLinks };
  const byLink = sql`
    copied_links
    cross join lateral (
      select *
      from ${records}
      where id = record_id
      offset 0
    ) linked`;
  return { from: byLink, where: sql`${live} and workspace_id = ${workspaceId}`, count: liveLinks };
}
