import { createHash } from "node:crypto";
import type { SystemDatabases } from "../system/system-databases.ts";

export interface RaceOrganization {
  readonly id: string;
  readonly workspaces: readonly string[];
}

/** Creates the thousands of records that races need, by SQL. */
export interface RaceRecords {
  /** Creates organizations in identity and in the workspace service, without a `My Workspace`. */
  newOrganizations(count: number, workspacesOfEach: number): Promise<RaceOrganization[]>;
  newEnvironments(organization: string, count: number): Promise<string[]>;
  newTeams(organization: string, count: number): Promise<string[]>;
  newConnection(organization: string): Promise<string>;
  /** Returns the tokens of as many users; the n-th is a plain member of the n-th organization, cyclically. */
  newUsers(organizations: readonly string[], count: number): Promise<string[]>;
}

export function createRaceRecords({ query }: Pick<SystemDatabases, "query">): RaceRecords {
  const idsOf = async (text: string, params: unknown[]) => {
    const rows = await query<{ id: string }>(text + " returning id", params);
    // Without it the planner assumes that the tables are empty, and scans them completely.
    await query("analyze");
    return rows.map(({ id }) => id);
  };
  return {
    newOrganizations: async (count, workspacesOfEach) => {
      const organizations = await idsOf(
        "insert into identity.organizations (id) select gen_random_uuid() from generate_series(1, $1)",
        [count],
      );
      await query("insert into workspace.organizations (id) select unnest($1::uuid[])", [organizations]);
      const workspaces = await query<{ id: string; organization_id: string }>(
        `
          insert into workspace.workspaces (id, organization_id, name, description, owner)
          select gen_random_uuid(), organization, 'Race', '', ''
          from unnest($1::uuid[]) organization, generate_series(1, $2)
          returning id, organization_id`,
        [organizations, workspacesOfEach],
      );
      await query("analyze");
      const places = Map.groupBy(workspaces, (workspace) => workspace.organization_id);
      return organizations.map((id) => ({ id, workspaces: (places.get(id) ?? []).map((workspace) => workspace.id) }));
    },
    newEnvironments: async (organization, count) => {
      await query("insert into environment.organizations (id) values ($1) on conflict do nothing", [organization]);
      return idsOf(
        "insert into environment.environments (id, organization_id, name, description)" +
          " select gen_random_uuid(), $1::uuid, 'Race', '' from generate_series(1, $2)",
        [organization, count],
      );
    },
    newTeams: (organization, count) =>
      idsOf(
        "insert into identity.teams (id, organization_id, name)" +
          " select gen_random_uuid(), $1::uuid, 'Race' from generate_series(1, $2)",
        [organization, count],
      ),
    newConnection: async (organization) => {
      await query("insert into environment.organizations (id) values ($1) on conflict do nothing", [organization]);
      const made = await idsOf(
        "insert into environment.connections (id, organization_id, name, description, kind, type, status)" +
          " values (gen_random_uuid(), $1, 'Race', '', '', '', '')",
        [organization],
      );
      return made[0] ?? "";
    },
    newUsers: (organizations, count) => insertUsers(query, organizations, count),
  };
}

async function insertUsers(query: SystemDatabases["query"], organizations: readonly string[], count: number) {
  const users = await query<{ id: string }>(
    "insert into identity.users (id, email) select id, id || '@example.com'" +
      " from (select gen_random_uuid() as id from generate_series(1, $1)) made returning id",
    [count],
  );
  const ids = users.map(({ id }) => id);
  const tokens = ids.map((id) => `cst_race-${id}--`); // the form of a token
  const digests = tokens.map((token) => createHash("sha256").update(token).digest());
  await query("insert into identity.preferences (user_id) select unnest($1::uuid[])", [ids]);
  await query(
    "insert into identity.memberships (organization_id, user_id, role_name)" +
      " select place, id, 'User' from unnest($1::uuid[], $2::uuid[]) as t (place, id)",
    [ids.map((_, index) => organizations[index % organizations.length]), ids],
  );
  await query(
    "insert into identity.tokens (id, user_id, digest, hint)" +
      " select gen_random_uuid(), id, digest, 'cst_race' from unnest($1::uuid[], $2::bytea[]) as t (id, digest)",
    [ids, digests],
  );
  await query("analyze");
  return tokens;
}
