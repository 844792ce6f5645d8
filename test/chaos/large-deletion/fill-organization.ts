import type { SystemDatabases } from "../system/system-databases.ts";

/** The number of each kind in 10 records. Each environment has a link. */
const SHARES = { environments: 3, connections: 3, credentials: 1, workspaces: 1, designs: 1, views: 1 };

/** Inserts `records` records into an organization, and a link for each environment and each workspace. */
export async function fillOrganization(
  { of }: SystemDatabases,
  organizationId: string,
  records: number,
): Promise<void> {
  const count = (kind: keyof typeof SHARES) => Math.round((records * SHARES[kind]) / 10);
  const insert = async (
    service: "environment" | "workspace",
    table: keyof typeof SHARES,
    columns = "",
    values = "",
  ) => {
    await of[service](
      `insert into ${service}.${table} (id, organization_id, name${columns})
       select gen_random_uuid(), $1, 'Record ' || n${values}
       from generate_series(1, ${count(table)}) n`,
      [organizationId],
    );
  };
  await of.environment("insert into environment.organizations (id) values ($1) on conflict do nothing", [
    organizationId,
  ]);
  await insert("environment", "credentials", ", type", ", ''");
  await insert("environment", "environments", ", description", ", ''");
  await insert("environment", "connections", ", description, kind, type, status", ", '', '', '', ''");
  // Otherwise the planner expects one record, and compares each with each other to link them: minutes for 100,000.
  await of.environment("analyze environment.environments, environment.connections");
  await of.environment(
    `insert into environment.environment_connections (id, environment_id, connection_id)
     select gen_random_uuid(), e.id, c.id
     from (select id, row_number() over () as n from environment.environments where organization_id = $1) e
     join (select id, row_number() over () as n from environment.connections where organization_id = $1) c using (n)`,
    [organizationId],
  );
  await insert("workspace", "workspaces", ", description, owner", ", '', ''");
  await insert("workspace", "designs", ", description, owner, visibility", ", '', '', 'public'");
  await insert("workspace", "views", ", description, owner, visibility", ", '', '', 'public'");
  await of.workspace("analyze workspace.workspaces, workspace.designs");
  await of.workspace(
    `insert into workspace.assignments (id, workspace_id, kind, resource_id)
     select gen_random_uuid(), w.id, 'design', d.id
     from (select id, row_number() over () as n from workspace.workspaces where organization_id = $1) w
     join (select id, row_number() over () as n from workspace.designs where organization_id = $1) d using (n)`,
    [organizationId],
  );
  await of.environment("vacuum (analyze)");
}

/** The rows that are left of an organization, and the rows that its deletion has written. */
export interface Left {
  /** Live records, and links. */
  readonly live: number;
  /** Records without their event: environments and workspaces. Negative if some were published twice. */
  readonly silent: number;
  /** Records whose time of deletion differs from the organization's: they are not restored with it. */
  readonly otherTimes: number;
}

export async function countLeft({ of }: SystemDatabases, organizationId: string): Promise<Left> {
  const [environment] = await of.environment<Left>(countIn("environment", "environment"), [organizationId]);
  const [workspace] = await of.workspace<Left>(countIn("workspace", "workspace"), [organizationId]);
  const sum = (key: keyof Left) => (environment?.[key] ?? 0) + (workspace?.[key] ?? 0);
  return { live: sum("live"), silent: sum("silent"), otherTimes: sum("otherTimes") };
}

const TABLES = {
  environment: ["environments", "connections", "credentials"],
  workspace: ["workspaces", "designs", "views"],
};

const LINKS = {
  environment: `
    select count(*)
    from environment.environment_connections l
    join environment.environments e on e.id = l.environment_id
    where e.organization_id = $1`,
  workspace: `
    select count(*)
    from workspace.assignments l
    join workspace.workspaces w on w.id = l.workspace_id
    where w.organization_id = $1`,
};

function countIn(service: "environment" | "workspace", record: "environment" | "workspace"): string {
  const records = TABLES[service].map(
    (table) => `select deleted_at from ${service}.${table} where organization_id = $1`,
  );
  const type = `${service}.v1.${record === "environment" ? "EnvironmentDeleted" : "WorkspaceDeleted"}`;
  return `
    with records as (${records.join(" union all ")}),
    tombstone as (select deleted_at from ${service}.organizations where id = $1)
    select (count(*) filter (where records.deleted_at is null) + (${LINKS[service]}))::integer as live,
      (
        (select count(*) from ${service}.${TABLES[service][0]} where organization_id = $1)
          - (select count(*) from ${service}.outbox where type = '${type}')
      )::integer as silent,
      (count(*) filter (where records.deleted_at <> (select deleted_at from tombstone)))::integer as "otherTimes"
    from records`;
}
