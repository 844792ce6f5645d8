import { sql } from "@cloud/postgres";
import { restFor } from "../../e2e/rest.ts";
import { made } from "../places/made.ts";
import type { System } from "../system/start-system.ts";
import type { SystemDatabases } from "../system/system-databases.ts";

/** The number of links: so many that the owners of the records read their ids into a hash table. */
const LINKS = 1_100;
/** Records that are assigned, removed, assigned again and deleted. */
const CHANGED = 5;

const insertLinks = sql`
  insert into workspace.assignments (id, workspace_id, kind, resource_id)
  select gen_random_uuid(), $2, $3, id
  from records`;

const KINDS = {
  team: {
    path: "/identity/teams",
    insert: sql`
      with records as (
        insert into identity.teams (id, organization_id, name)
        select gen_random_uuid(), $1, 'Linked'
        from generate_series(1, $4::integer)
        returning id
      )
      ${insertLinks}`,
  },
  environment: {
    path: "/environments",
    insert: sql`
      with records as (
        insert into environment.environments (id, organization_id, name, description)
        select gen_random_uuid(), $1, 'Linked', ''
        from generate_series(1, $4::integer)
        returning id
      )
      ${insertLinks}`,
  },
} as const;

export interface ListedChanges {
  /** The changes that a list did not show at once, or showed although they were undone. */
  readonly wrong: readonly string[];
  readonly changes: number;
}

/** Changes links of a large workspace and their records, and lists both sides after each change. */
export async function changeAndList(system: System, databases: SystemDatabases, stopNats: () => Promise<void>) {
  const { demo } = system;
  const rest = restFor(demo, demo.users.orgAdmin.token);
  const organizationId = demo.organizations[0]?.id ?? "";
  const { id: workspace } = await made(rest.post("/workspaces", { organizationId, name: "Large" }));
  const wrong: string[] = [];
  let changes = 0;
  const records = new Map<keyof typeof KINDS, string[]>();
  for (const [kind, { insert, path }] of Object.entries(KINDS) as [keyof typeof KINDS, (typeof KINDS)["team"]][]) {
    await databases.query(insert, [organizationId, workspace, kind, LINKS]);
    const ids: string[] = [];
    for (let n = 0; n < CHANGED; n++) {
      ids.push((await made(rest.post(path, { organizationId, name: `Changed ${n}` }))).id);
    }
    records.set(kind, ids);
    await rest.get(`/workspaces/${workspace}/${kind}s`);
  }
  await stopNats();
  for (const [kind, ids] of records) {
    const expectListed = async (step: string, id: string, linked: boolean, other: boolean) => {
      changes++;
      for (const [assigned, expected] of [
        [true, linked],
        [false, other],
      ] as const) {
        const query = `filter.assigned=${assigned}&search=Changed`;
        const { status, body } = await rest.get(`/workspaces/${workspace}/${kind}s?${query}`);
        const isListed = body?.[`${kind}s`]?.some((record: { id: string }) => record.id === id);
        if (status !== 200 || isListed !== expected) wrong.push(`${kind} ${step}, assigned ${assigned}: ${status}`);
      }
    };
    for (const id of ids) {
      const link = `/workspaces/${workspace}/${kind}s/${id}`;
      await made(rest.post(link));
      await expectListed("assigned", id, true, false);
      await rest.delete(link);
      await expectListed("removed", id, false, true);
      await made(rest.post(link));
      await rest.delete(`${KINDS[kind].path}/${id}`);
      await expectListed("deleted", id, false, false);
    }
  }
  return { wrong, changes } satisfies ListedChanges;
}
