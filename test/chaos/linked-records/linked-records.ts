import type { System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/** Records whose deletion owes an effect to another service: each is linked to the workspace. */
export interface LinkedRecords {
  readonly workspaceId: string;
  readonly environments: readonly string[];
  readonly teams: readonly string[];
}

/** Creates as many as a load needs, by SQL: over REST it would take as long as the load itself. */
export async function seedLinkedRecords(
  { demo }: System,
  { query }: SystemDatabases,
  counts: { readonly environments: number; readonly teams: number },
): Promise<LinkedRecords> {
  const organizationId = demo.organizations[0]?.id;
  const [workspace] = await query<{ id: string }>(
    "insert into workspace.workspaces (id, organization_id, name, description, owner)" +
      " values (gen_random_uuid(), $1, 'Linked', '', $2) returning id",
    [organizationId, demo.users.orgAdmin.id],
  );
  const workspaceId = workspace?.id ?? "";
  const seed = async (statement: string, kind: string, count: number) => {
    const rows = await query<{ resource_id: string }>(statement + linkMade, [organizationId, count, workspaceId, kind]);
    return rows.map((row) => row.resource_id);
  };
  const environments = await seed(makeEnvironments, "environment", counts.environments);
  const teams = await seed(makeTeams, "team", counts.teams);
  await query("analyze environment.environments, identity.teams, workspace.resource_references, workspace.assignments");
  return { workspaceId, environments, teams };
}

const makeEnvironments =
  "with made as (insert into environment.environments (id, organization_id, name, description)" +
  " select gen_random_uuid(), $1::uuid, 'Linked', '' from generate_series(1, $2::integer) returning id)";

const makeTeams =
  "with made as (insert into identity.teams (id, organization_id, name)" +
  " select gen_random_uuid(), $1::uuid, 'Linked' from generate_series(1, $2::integer) returning id)";

const linkMade =
  ", referenced as (insert into workspace.resource_references (kind, id) select $4, id from made)" +
  " insert into workspace.assignments (id, workspace_id, kind, resource_id)" +
  " select gen_random_uuid(), $3::uuid, $4, id from made returning resource_id";
