import type { SystemDatabases } from "../system/system-databases.ts";

/**
 * The rows that the events would have left: lines in the log, tombstones, records deleted with their organization. The
 * 50 workspaces and the 50 environments among these are published to the other services in turn, which makes 50 more
 * tombstones in each.
 */
export const EXPECTED_TRACES = {
  unassigned_teams: 350,
  unassigned_environments: 350,
  resource_tombstones: 750,
  workspace_tombstones: 250,
  organization_tombstones: 100,
  orphans_deleted: 100,
  orphans_logged: 50,
};

/** Counts the rows of each kind that exist. */
export async function tracesOf({ query }: SystemDatabases): Promise<Record<string, number> | undefined> {
  const [row] = await query<Record<string, number>>(`select
    (select count(*) from workspace.activity_events where action = 'unassign' and severity = 'success'
      and acted_upon_kind = 'team' and metadata->>'reason' = 'deleted')::integer as unassigned_teams,
    (select count(*) from workspace.activity_events where action = 'unassign' and severity = 'success'
      and acted_upon_kind = 'environment' and metadata->>'reason' = 'deleted')::integer as unassigned_environments,
    (select count(*) from workspace.resource_references where deleted_at is not null)::integer as resource_tombstones,
    (select count(*) from identity.workspace_references where deleted_at is not null)::integer as workspace_tombstones,
    (select count(*) from (select id from workspace.organizations where deleted_at is not null
      union all select id from environment.organizations where deleted_at is not null) o)::integer
      as organization_tombstones,
    (select count(*) from (select name, deleted_at from workspace.workspaces
      union all select name, deleted_at from environment.environments) r
      where name = 'Orphan' and deleted_at is not null)::integer as orphans_deleted,
    (select count(*) from workspace.activity_events e join workspace.workspaces w on w.id = e.workspace_id
      where action = 'delete' and w.name = 'Orphan')::integer as orphans_logged`);
  return row;
}
