import type { SystemDatabases } from "../../chaos/system/system-databases.ts";

/** The number of pages with 100 records each. */
export const PAGES = 8;

/** Inserts workspaces whose metadata take 60 KB each, within all limits: a page of 100 takes 6 MB. */
export async function insertLargeRecords({ of }: SystemDatabases, organizationId: string): Promise<void> {
  await of.workspace(
    `insert into workspace.workspaces (id, organization_id, name, description, owner, metadata)
     select gen_random_uuid(), $1, 'large ' || n, '', '', jsonb_build_object('text', repeat(md5(n::text), 1875))
     from generate_series(1, ${PAGES * 100}) n`,
    [organizationId],
  );
}
