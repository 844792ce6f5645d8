import { authenticate, requirePermission } from "./authenticate.ts";
import type { Database, Query, Statement } from "./database.ts";
import type { FastifyInstance } from "./fastify.ts";
import { type EnvironmentRow, environmentToJson, type WorkspaceRow, workspaceToJson } from "./records.ts";
import { Refused } from "./refused.ts";
import { schemas } from "./schemas.ts";

const selectWorkspace: Statement = {
  name: "workspace",
  text: `
    select id, organization_id, name, description, owner, metadata, created_at, updated_at, deleted_at, etag
    from workspaces
    where id = $1 and deleted_at is null`,
};

const selectWorkspaces: Statement = {
  name: "workspaces",
  text: `
    select total.count as page_total, page.*
    from (
      select count(*) as count
      from workspaces
      where organization_id = $1 and deleted_at is null
    ) total
    left join (
      select id, organization_id, name, description, owner, metadata, created_at, updated_at, deleted_at, etag
      from workspaces
      where organization_id = $1 and deleted_at is null
      order by created_at desc, id desc
      limit $2
      offset $3
    ) page on true
    order by page.created_at desc, page.id desc`,
};

const selectEnvironments: Statement = {
  name: "environments",
  text: `
    with linked as (
      select environments.*
      from assignments
      join environments on environments.id = assignments.resource_id and environments.deleted_at is null
      where assignments.workspace_id = $1 and assignments.kind = 'environment'
    )
    select total.count as page_total, page.*
    from (
      select count(*) as count
      from linked
    ) total
    left join (
      select *
      from linked
      order by created_at desc, id desc
      limit $2
      offset $3
    ) page on true
    order by page.created_at desc, page.id desc`,
};

interface Paging {
  page: number;
  pageSize: number;
}

type Paged<Row> = Row & { page_total: string };

/** Returns the live workspace of an id, to a member of its organization with the permission. */
export async function requireWorkspace(query: Query, id: string): Promise<WorkspaceRow> {
  const [workspace] = await query<WorkspaceRow>(selectWorkspace, [id]);
  if (workspace === undefined) throw new Refused(404, "WORKSPACE_NOT_FOUND");
  return workspace;
}

export function addReads(app: FastifyInstance, { query }: Database): void {
  app.get<{ Params: { id: string } }>("/api/workspaces/:id", { schema: schemas.get }, async ({ headers, params }) => {
    const caller = await authenticate(query, headers.authorization);
    const workspace = await requireWorkspace(query, params.id);
    requirePermission(caller, workspace.organization_id);
    return workspaceToJson(workspace);
  });

  app.get<{ Querystring: Paging & { orgId: string } }>(
    "/api/workspaces",
    { schema: schemas.list },
    async ({ headers, query: { orgId, page, pageSize } }) => {
      const caller = await authenticate(query, headers.authorization);
      requirePermission(caller, orgId);
      const rows = await query<Paged<WorkspaceRow>>(selectWorkspaces, [orgId, pageSize, page * pageSize]);
      return { ...pageOf(page, pageSize, rows), workspaces: present(rows).map(workspaceToJson) };
    },
  );

  app.get<{ Params: { id: string }; Querystring: Paging }>(
    "/api/workspaces/:id/environments",
    { schema: schemas.environments },
    async ({ headers, params, query: { page, pageSize } }) => {
      const caller = await authenticate(query, headers.authorization);
      const workspace = await requireWorkspace(query, params.id);
      requirePermission(caller, workspace.organization_id);
      const values = [workspace.id, pageSize, page * pageSize];
      const rows = await query<Paged<EnvironmentRow>>(selectEnvironments, values);
      return { ...pageOf(page, pageSize, rows), environments: present(rows).map(environmentToJson) };
    },
  );
}

const pageOf = (page: number, pageSize: number, rows: readonly { page_total: string }[]) => ({
  page,
  pageSize,
  totalCount: Number(rows[0]?.page_total ?? 0),
});

/** Past the end there is one row, with the count only. */
const present = <Row extends { id: string | null }>(rows: readonly Row[]) => rows.filter(({ id }) => id !== null);
