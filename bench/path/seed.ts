import { randomBytes } from "node:crypto";
import pg from "pg";
import type { System } from "../../test/chaos/system/start-system.ts";
import { restFor } from "../../test/rest.ts";

/** What the requests of the path name. */
export interface Records {
  /** Of one user, who is an Org Admin in both organizations. */
  readonly tokens: readonly string[];
  /** Has the workspaces, the teams, and the environments, of which 25 are linked to each of the first workspaces. */
  readonly organization: string;
  /** Workspaces are created in it. */
  readonly other: string;
  readonly workspaces: readonly string[];
  readonly teams: readonly string[];
}

const TOKENS = 64;
const WORKSPACES = 100;
const TEAMS = 100;

export async function seedRecords({ demo, databaseUrl }: System): Promise<Records> {
  const [{ id: organization } = { id: "" }, { id: other } = { id: "" }] = demo.organizations;
  const { orgAdmin, providerAdmin } = demo.users;
  const member = `/identity/organizations/${other}/members/${orgAdmin.id}`;
  await restFor(demo, providerAdmin.token).put(member, { roleNames: ["Org Admin"] });
  const rest = restFor(demo, orgAdmin.token);
  const tokens: string[] = [];
  for (let index = 0; index < TOKENS; index++) {
    const { body } = await rest.post("/identity/tokens", { name: `bench-${randomBytes(4).toString("hex")}` });
    tokens.push(body.secret);
  }
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const idsOf = async (text: string, values: readonly unknown[]) =>
    (await client.query<{ id: string }>(text, [...values])).rows.map(({ id }) => id);
  const workspaces = await idsOf(insertWorkspaces, [organization, WORKSPACES, orgAdmin.id]);
  const teams = await idsOf(insertTeams, [organization, TEAMS]);
  const environments = await idsOf(insertEnvironments, [organization, 25]);
  await client.query(linkEnvironments, [workspaces, environments]);
  await client.query("analyze");
  await client.end();
  return { tokens, organization, other, workspaces, teams };
}

const insertWorkspaces = `
  insert into workspace.workspaces (id, organization_id, name, description, owner)
  select gen_random_uuid(), $1::uuid, 'Workspace ' || n, 'One of those that the benchmark reads', $3::text
  from generate_series(1, $2::integer) n
  returning id`;

const insertTeams = `
  insert into identity.teams (id, organization_id, name)
  select gen_random_uuid(), $1::uuid, 'Team ' || n
  from generate_series(1, $2::integer) n
  returning id`;

const insertEnvironments = `
  insert into environment.environments (id, organization_id, name, description)
  select gen_random_uuid(), $1::uuid, 'Environment ' || n, 'One of those that the benchmark reads'
  from generate_series(1, $2::integer) n
  returning id`;

const linkEnvironments = `
  insert into workspace.assignments (id, workspace_id, kind, resource_id)
  select gen_random_uuid(), w, 'environment', e
  from unnest($1::uuid[]) w
  cross join unnest($2::uuid[]) e`;
