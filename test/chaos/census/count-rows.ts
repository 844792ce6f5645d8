import { forEachService, type ServiceName } from "../system/services.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/** Number of rows of each kind, such as `environments live` or `links to a team`. */
export type Counts = Readonly<Record<string, number>>;

/** Counts the live rows, links, selections and tombstones of each service. */
export function countRows(databases: SystemDatabases): Promise<Record<ServiceName, Counts>> {
  return forEachService(async (name) => {
    const rows = await databases.of[name]<{ sort: string; count: string }>(COUNT[name]);
    return Object.fromEntries(rows.map(({ sort, count }) => [sort, Number(count)]));
  });
}

const IDENTITY = `
  select 'organizations ' || case when deleted_at is null then 'live' else 'deleted' end as sort, count(*)
  from identity.organizations
  group by 1
  union all
  select 'users ' || case when deleted_at is null then 'live' else 'deleted' end, count(*)
  from identity.users
  group by 1
  union all
  select 'teams ' || case when deleted_at is null then 'live' else 'deleted' end, count(*)
  from identity.teams
  group by 1
  union all
  select 'memberships', count(*)
  from identity.memberships
  union all
  select 'team members', count(*)
  from identity.team_members
  union all
  select 'tokens ' || case when revoked_at is null then 'live' else 'revoked' end, count(*)
  from identity.tokens
  group by 1
  union all
  select 'workspaces ' || case when deleted_at is null then 'referenced' else 'tombstones' end, count(*)
  from identity.workspace_references
  group by 1
  union all
  select 'selections of an organization', count(selected_organization)
  from identity.preferences
  union all
  select 'selections of a workspace', count(selected_workspace)
  from identity.preferences
  union all
  select 'parked messages', count(*)
  from identity.parked_messages`;

const ENVIRONMENT = `
  select 'organizations ' || case when deleted_at is null then 'referenced' else 'tombstones' end as sort, count(*)
  from environment.organizations
  group by 1
  union all
  select 'environments ' || case when deleted_at is null then 'live' else 'deleted' end, count(*)
  from environment.environments
  group by 1
  union all
  select 'connections ' || case when deleted_at is null then 'live' else 'deleted' end, count(*)
  from environment.connections
  group by 1
  union all
  select 'credentials ' || case when deleted_at is null then 'live' else 'deleted' end, count(*)
  from environment.credentials
  group by 1
  union all
  select 'links to a connection', count(*)
  from environment.environment_connections
  union all
  select 'parked messages', count(*)
  from environment.parked_messages`;

const WORKSPACE = `
  select 'organizations ' || case when deleted_at is null then 'referenced' else 'tombstones' end as sort, count(*)
  from workspace.organizations
  group by 1
  union all
  select 'workspaces ' || case when deleted_at is null then 'live' else 'deleted' end, count(*)
  from workspace.workspaces
  group by 1
  union all
  select 'designs ' || case when deleted_at is null then 'live' else 'deleted' end, count(*)
  from workspace.designs
  group by 1
  union all
  select 'views ' || case when deleted_at is null then 'live' else 'deleted' end, count(*)
  from workspace.views
  group by 1
  union all
  select 'links to ' || kind, count(*)
  from workspace.assignments
  group by 1
  union all
  select kind || 's ' || case when deleted_at is null then 'referenced' else 'tombstones' end, count(*)
  from workspace.resource_references
  group by 1
  union all
  select 'ended links logged', count(*)
  from workspace.activity_events
  where action = 'unassign'
  union all
  select 'parked messages', count(*)
  from workspace.parked_messages`;

const COUNT: Readonly<Record<ServiceName, string>> = {
  identity: IDENTITY,
  environment: ENVIRONMENT,
  workspace: WORKSPACE,
};
