import type { ListParameters, OrganizationId, Visibility } from "@cloud/contract";
import { type Sql, type SqlText, selectPage, sql } from "@cloud/postgres";
import { inOrganizations } from "@cloud/service";
import type { WorkspaceRow } from "../workspaces/workspace-sql.ts";
import { type ItemRow, itemColumns } from "./item-sql.ts";
import type { LibraryKind } from "./library-kind.ts";

/** The list parameters, and the visibilities to select; none selects all. */
export interface LibraryQuery extends ListParameters {
  readonly visibility: readonly Visibility[];
}

const liveAndVisible = sql`deleted_at is null and (cardinality($1::text[]) = 0 or visibility = any($1))`;
const linked = sql`
  exists (
    select 1
    from assignments
    where workspace_id = $3 and kind = $4 and resource_id = item.id
  )`;

/** Returns a page of the live items of the organizations. */
export async function selectItemsOf(
  db: Sql,
  kind: LibraryKind,
  organizationIds: readonly OrganizationId[],
  query: LibraryQuery,
) {
  const { condition, param } = inOrganizations(organizationIds, 2);
  return page(db, kind, query, condition, [param]);
}

/** Returns a page of the live items in the workspace. */
export async function selectItemsInWorkspace(db: Sql, kind: LibraryKind, workspace: WorkspaceRow, query: LibraryQuery) {
  const params = [workspace.organization_id, workspace.id, kind.name];
  return page(db, kind, query, sql`organization_id = $2 and ${linked}`, params);
}

/** Returns a page of the live items of the workspace's organization that are not in it; of one owner, if given. */
export async function selectItemsNotInWorkspace(
  db: Sql,
  kind: LibraryKind,
  workspace: WorkspaceRow,
  query: LibraryQuery,
  owner?: string,
) {
  const params = [workspace.organization_id, workspace.id, kind.name];
  const others = sql`organization_id = $2 and not ${linked}`;
  return owner === undefined
    ? page(db, kind, query, others, params)
    : page(db, kind, query, sql`${others} and owner = $5`, [...params, owner]);
}

async function page(db: Sql, kind: LibraryKind, query: LibraryQuery, where: SqlText, params: readonly unknown[]) {
  const { visibility, ...listParameters } = query;
  return selectPage<ItemRow>(db, {
    columns: itemColumns,
    from: sql`${kind.table} item`,
    where: sql`${liveAndVisible} and ${where}`,
    params: [visibility, ...params],
    searchColumns: [sql`name`, sql`description`],
    ...listParameters,
  });
}
