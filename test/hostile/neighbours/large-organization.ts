import type { SystemDatabases } from "../../chaos/system/system-databases.ts";

const ROWS = 200_000;

/** Fills an organization with workspaces: all names contain `workspace`, each eighth `quicksilver`, few `zebrafish`. */
export async function fillOrganization({ of }: SystemDatabases, organizationId: string): Promise<void> {
  await of.workspace(
    `insert into workspace.workspaces (id, organization_id, name, description, owner, created_at)
     select gen_random_uuid(), $1,
       'Workspace ' || n || case when n % 8 = 0 then ' quicksilver' else '' end
         || case when n % 50000 = 7 then ' zebrafish' else '' end,
       'of the series ' || n % 100, '', now() - n * interval '1 second'
     from generate_series(1, ${ROWS}) n`,
    [organizationId],
  );
  await of.workspace("vacuum (analyze) workspace.workspaces");
}

const SEARCHES = ["workspace", "quicksilver", "zebrafish", "q", "no such text", "series 7"];
const PAGES = [40, 400, 4_000];

/** Returns the requests that search and page its list. */
export function requestsOf(organizationId: string): string[] {
  const list = `/api/workspaces?orgId=${organizationId}`;
  return [
    ...SEARCHES.map((text) => `${list}&search=${encodeURIComponent(text)}`),
    ...PAGES.map((page) => `${list}&page=${page}&pageSize=50`),
  ];
}
