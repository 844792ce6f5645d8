import type { System } from "../../../test/chaos/system/start-system.ts";
import type { SystemDatabases } from "../../../test/chaos/system/system-databases.ts";
import { createOrganization } from "./seed-organizations.ts";
import { withoutIndex } from "./without-index.ts";

export interface GrownLinks {
  readonly organizationId: string;
  readonly workspaces: readonly { readonly id: string; readonly links: number }[];
}

/** The four kinds of record that a workspace is linked to, with the service that has their table. */
export const LINKED = {
  teams: { service: "identity", kind: "team" },
  environments: { service: "environment", kind: "environment" },
  designs: { service: "workspace", kind: "design" },
  views: { service: "workspace", kind: "view" },
} as const;

export type Linked = keyof typeof LINKED;

/**
 * Creates an organization with twice as many records of each kind as `links` at most, and a workspace for each number.
 */
export async function seedLinks(
  system: System,
  { of }: SystemDatabases,
  links: readonly number[],
): Promise<GrownLinks> {
  const organizationId = await createOrganization(system, "Of links");
  await of.environment("insert into environment.organizations (id) values ($1) on conflict do nothing", [
    organizationId,
  ]);
  const workspaces: { id: string; links: number }[] = [];
  for (const count of links) {
    const [row] = await of.workspace<{ id: string }>(insertWorkspace, [organizationId]);
    workspaces.push({ id: row?.id ?? "", links: count });
  }
  const records = 2 * Math.max(...links);
  for (const [table, { service, kind }] of Object.entries(LINKED)) {
    const [more, values] = moreColumns(system.demo.users.orgAdmin.id)[table as Linked];
    await withoutIndex(of[service], `${service}.${table}_search`, async () => {
      await of[service](
        `insert into ${service}.${table} (id, organization_id, name, description, created_at${more})
         select gen_random_uuid(), $1::uuid, 'Record ' || n, 'Entry of the series ' || n % 100,
           now() - ($2::integer - n) * interval '1 second'${values}
         from generate_series(1, $2::integer) n`,
        [organizationId, records],
      );
    });
    await of[service](`vacuum (analyze) ${service}.${table}`);
    for (const { id, links: count } of workspaces) {
      // All services share a database: the records are read where they are.
      await of.workspace(
        `insert into workspace.assignments (id, workspace_id, kind, resource_id)
         select gen_random_uuid(), $1::uuid, '${kind}', id
         from (
           select id, row_number() over (order by created_at) as n
           from ${service}.${table}
           where organization_id = $2
         ) numbered
         where n % ($3::integer / $4::integer) = 0
         limit $4::integer`,
        [id, organizationId, records, count],
      );
    }
  }
  await of.workspace("vacuum (analyze) workspace.assignments, workspace.link_states");
  return { organizationId, workspaces };
}

/**
 * Further columns and their values. Designs that are not in a workspace are listed to their owner, who has a quarter of
 * them: 50,000. Half of the caller's are in the workspace with the most links.
 */
const moreColumns = (owner: string): Readonly<Record<Linked, readonly [string, string]>> => ({
  teams: ["", ""],
  environments: ["", ""],
  designs: [", owner, visibility", `, case n / 2 % 4 when 0 then '${owner}' else '' end, ${VISIBILITY}`],
  views: [", owner, visibility", `, '${owner}', ${VISIBILITY}`],
});

const VISIBILITY = "(array['private', 'public', 'published'])[n % 3 + 1]";

const insertWorkspace = `
  insert into workspace.workspaces (id, organization_id, name, description, owner)
  values (gen_random_uuid(), $1, 'With links', '', '')
  returning id`;
