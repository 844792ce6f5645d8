import type { System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/** Number of references of each kind, in all 1,000. Fewer than 500 of a kind, which is a page of a pass. */
export const DANGLING = {
  "workspace-team": 350,
  "workspace-environment": 350,
  "preferences-workspace": 200,
  "workspace-organization": 50,
  "environment-organization": 50,
} as const;

/**
 * Creates references to deleted records, as if no event had ever reported it, in one statement, so that no pass sees a
 * part of them. Their owners keep the records as deleted ones.
 */
export async function seedDangling({ demo }: System, { query }: SystemDatabases): Promise<void> {
  const [organizationId, userId] = [demo.organizations[0]?.id, demo.users.orgAdmin.id];
  await query(seed, [organizationId, userId, ...Object.values(DANGLING)]);
}

const seed = `
with home as (
  insert into workspace.workspaces (id, organization_id, name, description, owner)
    values (gen_random_uuid(), $1, 'Dangling', '', $2::text) returning id
), gone_teams as (
  insert into identity.teams (id, organization_id, name, deleted_at)
    select gen_random_uuid(), $1, 'Gone', now() from generate_series(1, $3::integer) returning id
), gone_environments as (
  insert into environment.environments (id, organization_id, name, description, deleted_at)
    select gen_random_uuid(), $1, 'Gone', '', now() from generate_series(1, $4::integer) returning id
), resources as (
  select 'team' as kind, id from gone_teams union all select 'environment', id from gone_environments
), referenced as (
  insert into workspace.resource_references (kind, id) select kind, id from resources
), linked as (
  insert into workspace.assignments (id, workspace_id, kind, resource_id)
    select gen_random_uuid(), home.id, kind, resources.id from resources, home
), gone_workspaces as (
  insert into workspace.workspaces (id, organization_id, name, description, owner, deleted_at)
    select gen_random_uuid(), $1, 'Gone', '', $2::text, now() from generate_series(1, $5::integer) returning id
), selected as (
  insert into identity.workspace_references (id, organization_id) select id, $1 from gone_workspaces returning id
), users as (
  insert into identity.users (id, email)
    select gen_random_uuid(), n || '@dangling.example' from generate_series(1, $5::integer) n returning id
), selections as (
  insert into identity.preferences (user_id, selected_organization, selected_workspace)
    select u.id, $1, s.id from (select id, row_number() over () as n from users) u
      join (select id, row_number() over () as n from selected) s using (n)
), gone_organizations as (
  insert into identity.organizations (id, name, deleted_at)
    select gen_random_uuid(), 'Gone', now() from generate_series(1, $6::integer) returning id
), their_organizations as (
  insert into workspace.organizations (id) select id from gone_organizations returning id
), their_workspaces as (
  insert into workspace.workspaces (id, organization_id, name, description, owner)
    select gen_random_uuid(), id, 'Orphan', '', '' from their_organizations returning id
), more_gone_organizations as (
  insert into identity.organizations (id, name, deleted_at)
    select gen_random_uuid(), 'Gone', now() from generate_series(1, $7::integer) returning id
), more_organizations as (
  insert into environment.organizations (id) select id from more_gone_organizations returning id
)
insert into environment.environments (id, organization_id, name, description)
  select gen_random_uuid(), id, 'Orphan', '' from more_organizations`;
