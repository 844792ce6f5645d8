import { type SqlText, sql } from "@cloud/postgres";
import type { Service } from "../schemas/service-schemas.ts";

/** A list whose count is not the number of its rows. */
export interface WrongCount {
  readonly list: string;
  readonly scope: string;
  readonly counted: string;
  readonly rows: string;
}

/** Returns each live_count that differs from the rows it counts. */
const wrongCounts = (schema: SqlText, lists: SqlText) => sql`
  with counted as (
    select list, scope, sum(count) as count
    from ${schema}.live_counts
    group by list, scope
  ),
  listed (list, scope, count) as (
    ${lists}
  )
  select list, scope, coalesce(counted.count, 0) as counted, coalesce(listed.count, 0) as rows
  from counted
  full join listed using (list, scope)
  where coalesce(counted.count, 0) <> coalesce(listed.count, 0)
  order by list, scope`;

/** Returns each state of a workspace's links that is not that of the links. */
const wrongLinkStates = sql`
  with kept as (
    select workspace_id, kind, sum(links) as links, sum(hash) as hash
    from workspace.link_states
    group by workspace_id, kind
  ),
  counted as (
    select workspace_id, kind, count(*) as links, sum(workspace.link_hash(resource_id)) as hash
    from workspace.assignments
    where kind in ('team', 'environment')
    group by workspace_id, kind
  )
  select 'link_states:' || kind, workspace_id, coalesce(kept.links, 0), coalesce(counted.links, 0)
  from kept
  full join counted using (workspace_id, kind)
  where (coalesce(kept.links, 0), coalesce(kept.hash, 0)) <> (coalesce(counted.links, 0), coalesce(counted.hash, 0))`;

/** Returns each copy of a workspace's links whose counts differ from its links. */
const wrongLinkCopies = (schema: SqlText, records: SqlText) => sql`
  select 'link_copies', workspace_id, copies.live_links, counted.live_links
  from ${schema}.link_copies copies
  cross join lateral (
    select count(*) as links, coalesce(sum(${schema}.link_hash(record_id)), 0) as hash, 
      count(*) filter (where (
        select organization_id = copies.organization_id and deleted_at is null
        from ${schema}.${records}
        where id = record_id
      )) as live_links
    from ${schema}.copied_links
    where copied_links.workspace_id = copies.workspace_id
  ) counted
  where copies.links >= 0 -- not being replaced or deleted
    and (copies.links, copies.hash, copies.live_links) <> (counted.links, counted.hash, counted.live_links)`;

const live = (name: SqlText, table: SqlText) => sql`
  select ${name}, organization_id, count(*)
  from ${table}
  where deleted_at is null
  group by 1, 2`;

const rowsOf = (name: SqlText, table: SqlText, scope: SqlText) => sql`
  select ${name}, ${scope}, count(*)
  from ${table}
  group by 1, 2`;

const all = (...lists: readonly SqlText[]) =>
  lists.reduce(
    (one, other) => sql`${one}
    union all
    ${other}`,
  );

const both = (wrongLinks: SqlText, schema: SqlText, lists: SqlText) => sql`
  select *
  from (${wrongCounts(schema, lists)}) lists
  union all
  (${wrongLinks})`;

/** The statements that compare the counts of each service with its rows. They name the schema, for any search path. */
export const selectWrongCounts: Readonly<Record<Service, SqlText>> = {
  identity: both(
    wrongLinkCopies(sql`identity`, sql`teams`),
    sql`identity`,
    all(
      live(sql`'teams'`, sql`identity.teams`),
      rowsOf(sql`'invitations'`, sql`identity.invitations`, sql`organization_id`),
      rowsOf(sql`'curricula'`, sql`identity.curricula`, sql`organization_id`),
      rowsOf(sql`'tokens'`, sql`identity.tokens`, sql`user_id`),
      rowsOf(sql`'members'`, sql`identity.members`, sql`organization_id`),
      rowsOf(sql`'team_members'`, sql`identity.team_members`, sql`team_id`),
    ),
  ),
  environment: both(
    wrongLinkCopies(sql`environment`, sql`environments`),
    sql`environment`,
    all(
      live(sql`'environments'`, sql`environment.environments`),
      live(sql`'credentials'`, sql`environment.credentials`),
      live(sql`'connections'`, sql`environment.connections`),
    ),
  ),
  workspace: both(
    wrongLinkStates,
    sql`workspace`,
    all(
      live(sql`'workspaces'`, sql`workspace.workspaces`),
      live(sql`'designs:' || visibility`, sql`workspace.designs`),
      live(sql`'views:' || visibility`, sql`workspace.views`),
      rowsOf(sql`'activity_events'`, sql`workspace.activity_events`, sql`workspace_id`),
    ),
  ),
};
