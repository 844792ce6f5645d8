import type { ListParameters, OrganizationId } from "@cloud/contract";
import { parameter, type SqlText, sql } from "@cloud/postgres";
import type { LinkState } from "./workspace-links.ts";

/** The records of as many links, or fewer, are read by their ids and sorted: however few of all records they are. */
const FEW_LINKS = 5_000;

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
 * Looks up each link, or for a long list each record in its order until the page is full, by subqueries that Postgres
 * cannot turn into joins: their plans would depend on statistics, which lag behind what a call has just copied.
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
  if (!assigned) {
    return { from: records, where: sql`${live} and ${isLinked} is null`, count: sql`${countLive} - ${liveLinks}` };
  }
  if (links > FEW_LINKS) return { from: records, where: sql`${live} and ${isLinked}`, count: liveLinks };
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
