import type { ListParameters, OrganizationId, Visibility } from "@cloud/contract";
import { type ListSource, type Sql, type SqlText, selectPage, sql } from "@cloud/postgres";
import { countOthers, inOrganizations } from "@cloud/service";
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
  const { condition, param, organization, count, searching } = inOrganizations(organizationIds, 2);
  const indexed = { count: count(isList(kind)), ...searching(...searchColumns) };
  return page(db, kind, query, { where: condition, params: [param], organization, ...indexed });
}

/** Returns a page of the live items in the workspace. */
export async function selectItemsInWorkspace(db: Sql, kind: LibraryKind, workspace: WorkspaceRow, query: LibraryQuery) {
  const { condition, searching } = inOrganizations([workspace.organization_id], 2);
  const params = [workspace.organization_id, workspace.id, kind.name];
  return page(db, kind, query, { where: sql`${condition} and ${linked}`, params, ...searching(...searchColumns) });
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
  const { condition, count: countAll, searching } = inOrganizations([workspace.organization_id], 2);
  const others = sql`${condition} and not ${linked}`;
  const searchable = searching(...searchColumns);
  if (owner !== undefined) {
    return page(db, kind, query, { where: sql`${others} and owner = $5`, params: [...params, owner], ...searchable });
  }
  const areLinked = sql`${liveAndVisible} and ${condition} and ${linked}`;
  const count = countOthers(countAll(isList(kind)), sql`${kind.table} item`, areLinked);
  return page(db, kind, query, { where: others, params, count, ...searchable });
}

/** The counts of the visibilities that the list has. */
function isList(kind: LibraryKind): SqlText {
  const visibilities = sql`case when cardinality($1::text[]) = 0 then '{private,public,published}' else $1 end`;
  return sql`list = any(array(select '${kind.table}:' || unnest(${visibilities})))`;
}

const searchColumns = [sql`name`, sql`description`];

type Items = Pick<ListSource, "where" | "params" | "organization" | "count" | "searchBy">;

async function page(db: Sql, kind: LibraryKind, query: LibraryQuery, { where, params, ...indexed }: Items) {
  const { visibility, ...listParameters } = query;
  return selectPage<ItemRow>(db, {
    columns: itemColumns,
    from: sql`${kind.table} item`,
    where: sql`${liveAndVisible} and ${where}`,
    params: [visibility, ...params],
    searchColumns,
    ...indexed,
    ...listParameters,
  });
}
