import { type Sql, selectPage } from "@cloud/postgres";
import type { ListParameters, OrganizationId, Visibility } from "@cloud/rpc";
import type { WorkspaceRow } from "../workspaces/workspace-sql.ts";
import type { LibraryKind } from "./library-kind.ts";
import { type ItemRow, itemColumns } from "./library-sql.ts";

/** The list parameters, and the visibilities kept; none keeps all. */
export interface LibraryQuery extends ListParameters {
  readonly visibility: readonly Visibility[];
}

const LIVE_AND_VISIBLE = "deleted_at is null and (cardinality($1::text[]) = 0 or visibility = any($1))";
const LINKED = "exists (select 1 from assignments where workspace_id = $3 and kind = $4 and resource_id = item.id)";

/** A page of the live items of the organizations. */
export async function selectItemsOf(
  sql: Sql,
  kind: LibraryKind,
  organizationIds: readonly OrganizationId[],
  query: LibraryQuery,
) {
  return page(sql, kind, query, " and organization_id = any($2)", [organizationIds]);
}

/** A page of the live items that are in the workspace. */
export async function selectItemsInWorkspace(
  sql: Sql,
  kind: LibraryKind,
  workspace: WorkspaceRow,
  query: LibraryQuery,
) {
  const params = [workspace.organization_id, workspace.id, kind.name];
  return page(sql, kind, query, " and organization_id = $2 and " + LINKED, params);
}

/** A page of the live items of the workspace's organization that are not in it; only of one owner where that is given. */
export async function selectItemsNotInWorkspace(
  sql: Sql,
  kind: LibraryKind,
  workspace: WorkspaceRow,
  query: LibraryQuery,
  owner?: string,
) {
  const params = [workspace.organization_id, workspace.id, kind.name];
  const others = " and organization_id = $2 and not " + LINKED;
  return owner === undefined
    ? page(sql, kind, query, others, params)
    : page(sql, kind, query, others + " and owner = $5", [...params, owner]);
}

async function page(sql: Sql, kind: LibraryKind, query: LibraryQuery, where: string, params: readonly unknown[]) {
  const { visibility, ...listParameters } = query;
  return selectPage<ItemRow>(sql, {
    columns: itemColumns,
    from: kind.table + " item",
    where: LIVE_AND_VISIBLE + where,
    params: [visibility, ...params],
    searchColumns: ["name", "description"],
    ...listParameters,
  });
}
