import type { SystemDatabases } from "../../chaos/system/system-databases.ts";

/** Links of one kind: their ids take more than 2 MiB, which once ended every request to the workspace service. */
export const LINKS = 60_000;
const PAGE = 100;

/** Inserts teams and environments, and links all of them to the workspace. */
export async function insertLinks(
  databases: SystemDatabases,
  organizationId: string,
  workspaceId: string,
): Promise<void> {
  const { of } = databases;
  await knowOrganization(databases, organizationId);
  const owners = [
    ["team", of.identity, "identity.teams"],
    ["environment", of.environment, "environment.environments"],
  ] as const;
  for (const [kind, query, table] of owners) {
    const rows = await query<{ id: string }>(
      `insert into ${table} (id, organization_id, name, description)
       select gen_random_uuid(), $1, 'linked', ''
       from generate_series(1, ${LINKS})
       returning id`,
      [organizationId],
    );
    const ids = rows.map(({ id }) => id);
    await of.workspace("insert into workspace.resource_references (kind, id) select $1, unnest($2::uuid[])", [
      kind,
      ids,
    ]);
    await of.workspace(
      `insert into workspace.assignments (id, workspace_id, kind, resource_id)
       select gen_random_uuid(), $1, $2, unnest($3::uuid[])`,
      [workspaceId, kind, ids],
    );
  }
}

/** Inserts a page of connections with this metadata, each in its organization. */
export async function insertConnections(
  databases: SystemDatabases,
  organizationId: string,
  metadata: object,
): Promise<void> {
  await knowOrganization(databases, organizationId);
  await databases.of.environment(
    `insert into environment.connections (id, organization_id, name, description, kind, type, status, metadata)
     select gen_random_uuid(), $1, 'large', '', '', '', '', $2::jsonb
     from generate_series(1, ${PAGE})`,
    [organizationId, JSON.stringify(metadata)],
  );
}

/** The event that makes the environment service know it may still be under way. */
async function knowOrganization({ of }: SystemDatabases, id: string): Promise<void> {
  await of.environment("insert into environment.organizations (id) values ($1) on conflict do nothing", [id]);
}

/** Metadata of a page that is too large, each for another reason. */
export const TOO_LARGE: Readonly<Record<string, object>> = {
  /** Written before metadata had a limit. */
  "1 MB each": { text: "x".repeat(1_000_000) },
  /** Within all limits: a zero of JSON takes 11 bytes between services. */
  "64 KiB of zeros each": { zeros: Array<number>(32_000).fill(0) },
  /** 6 MB between services, six times as much in JSON. */
  "60 KB of control characters each": { text: "\u0001".repeat(60_000) },
};
