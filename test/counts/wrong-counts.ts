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

/** The statements that compare the counts of each service with its rows. They name the schema, for any search path. */
export const selectWrongCounts: Readonly<Record<Service, SqlText>> = {
  identity: wrongCounts(
    sql`identity`,
    all(
      live(sql`'teams'`, sql`identity.teams`),
      rowsOf(sql`'invitations'`, sql`identity.invitations`, sql`organization_id`),
      rowsOf(sql`'curricula'`, sql`identity.curricula`, sql`organization_id`),
      rowsOf(sql`'tokens'`, sql`identity.tokens`, sql`user_id`),
    ),
  ),
  environment: wrongCounts(
    sql`environment`,
    all(
      live(sql`'environments'`, sql`environment.environments`),
      live(sql`'credentials'`, sql`environment.credentials`),
      live(sql`'connections'`, sql`environment.connections`),
    ),
  ),
  workspace: wrongCounts(
    sql`workspace`,
    all(
      live(sql`'workspaces'`, sql`workspace.workspaces`),
      live(sql`'designs:' || visibility`, sql`workspace.designs`),
      live(sql`'views:' || visibility`, sql`workspace.views`),
      rowsOf(sql`'activity_events'`, sql`workspace.activity_events`, sql`workspace_id`),
    ),
  ),
};
