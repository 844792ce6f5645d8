import { waitFor } from "@cloud/testkit";
import type { System } from "../../../test/chaos/system/start-system.ts";
import type { SystemDatabases } from "../../../test/chaos/system/system-databases.ts";
import { restFor } from "../../../test/e2e/rest.ts";
import { withoutIndex } from "./without-index.ts";

export interface GrownOrganization {
  readonly id: string;
  readonly workspaces: number;
  /** Some workspaces of the organization, of all ages. */
  readonly workspaceIds: readonly string[];
  readonly teamIds: readonly string[];
}

const SAMPLE = 100;

/** Creates an organization by request for each size, and fills it by SQL. */
export async function seedOrganizations(
  system: System,
  databases: SystemDatabases,
  sizes: readonly number[],
): Promise<GrownOrganization[]> {
  const ids: string[] = [];
  for (const size of sizes) ids.push(await createOrganization(system, `Of ${size}`));
  await withoutIndex(databases.of.workspace, "workspace.workspaces_search", async () => {
    for (const [index, size] of sizes.entries()) await databases.of.workspace(insertWorkspaces, [ids[index], size]);
  });
  for (const id of ids) await databases.of.identity(insertTeams, [id]);
  await databases.of.workspace("vacuum (analyze) workspace.workspaces, workspace.live_counts");
  const idsOf = async (query: SystemDatabases["query"], text: string, id: string) =>
    (await query<{ id: string }>(text, [id])).map((row) => row.id);
  return await Promise.all(
    ids.map(async (id, index) => ({
      id,
      workspaces: sizes[index] ?? 0,
      workspaceIds: await idsOf(databases.of.workspace, sampleWorkspaces, id),
      teamIds: await idsOf(databases.of.identity, "select id from identity.teams where organization_id = $1", id),
    })),
  );
}

/** Creates an organization of the demo's Org Admin, and waits until the workspace service has it. */
export async function createOrganization({ demo }: System, name: string): Promise<string> {
  const rest = restFor(demo, demo.users.orgAdmin.token);
  const { status, body } = await rest.post("/identity/organizations", { name });
  if (status !== 201) throw new Error(`no organization was created: ${status}`);
  const isThere = async () => (await rest.get(`/workspaces?orgId=${body.id}`)).body?.totalCount === 1 || undefined;
  await waitFor(isThere, { deadlineMs: 30_000 });
  return String(body.id);
}

// `quicksilver` in one of 8, `marmalade` in one of 50, `zebrafish` in one of 20,000, in no order. The oldest are
// inserted first, as by requests.
const insertWorkspaces = `
  insert into workspace.workspaces (id, organization_id, name, description, owner, created_at, updated_at)
  select gen_random_uuid(), $1::uuid,
    'Workspace ' || n || case when abs(hashint4(n)) % 8 = 0 then ' Quicksilver' else '' end
      || case when abs(hashint4(n)) % 50 = 1 then ' Marmalade' else '' end
      || case when abs(hashint4(n)) % 20000 = 2 then ' Zebrafish' else '' end,
    'Payments of team ' || n % 1000, '', at, at
  from (
    select n, now() - ($2::integer - n) * interval '1 second' as at
    from generate_series(1, $2::integer) n
  ) numbered`;

const insertTeams = `
  insert into identity.teams (id, organization_id, name)
  select gen_random_uuid(), $1::uuid, 'Team ' || n
  from generate_series(1, ${SAMPLE}) n`;

const sampleWorkspaces = `
  select id
  from (
    select id, row_number() over (order by created_at) as n, count(*) over () as size
    from workspace.workspaces
    where organization_id = $1
  ) numbered
  where n % greatest(size / ${SAMPLE}, 1) = 0
  limit ${SAMPLE}`;
