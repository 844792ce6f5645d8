import type pg from "pg";

/** Records of one organization, by their ids. */
export interface InsertedRecords {
  /** The workspaces that are linked to all environments. */
  readonly workspaces: readonly string[];
  readonly teams: readonly string[];
}

export interface RecordCounts {
  readonly workspaces: number;
  readonly teams: number;
  readonly environments: number;
}

/** Inserts the records that benchmarks read. By SQL: an RPC for each would take minutes. */
export async function insertRecords(
  client: pg.Client,
  organization: string,
  owner: string,
  counts: RecordCounts,
): Promise<InsertedRecords> {
  // The services refer to an organization from the first call that names it.
  await client.query("insert into environment.organizations (id) values ($1) on conflict do nothing", [organization]);
  await client.query("insert into workspace.organizations (id) values ($1) on conflict do nothing", [organization]);
  const insert = async (text: string, ...values: readonly unknown[]) =>
    (await client.query<{ id: string }>(text, [organization, ...values])).rows.map(({ id }) => id);
  const workspaces = await insert(insertWorkspaces, counts.workspaces, owner);
  const teams = await insert(insertTeams, counts.teams);
  const environments = await insert(insertEnvironments, counts.environments);
  await client.query(linkEnvironments, [workspaces, environments]);
  return { workspaces, teams };
}

const insertWorkspaces = `
  insert into workspace.workspaces (id, organization_id, name, description, owner)
  select gen_random_uuid(), $1::uuid, 'Workspace ' || n, 'One of many that the benchmark reads', $3::text
  from generate_series(1, $2::integer) n
  returning id`;

const insertTeams = `
  insert into identity.teams (id, organization_id, name)
  select gen_random_uuid(), $1::uuid, 'Team ' || n
  from generate_series(1, $2::integer) n
  returning id`;

const insertEnvironments = `
  insert into environment.environments (id, organization_id, name, description)
  select gen_random_uuid(), $1::uuid, 'Environment ' || n, 'One of many that the benchmark reads'
  from generate_series(1, $2::integer) n
  returning id`;

const linkEnvironments = `
  insert into workspace.assignments (id, workspace_id, kind, resource_id)
  select gen_random_uuid(), w, 'environment', e
  from unnest($1::uuid[]) w
  cross join unnest($2::uuid[]) e`;
