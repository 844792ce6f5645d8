import type { ListParameters, Visibility } from "@cloud/access/lists";
import type { OrganizationId } from "@cloud/access/values";
import { type Reader, type SqlText, sql } from "@cloud/postgres";
import { type ListSource, selectPage } from "@cloud/postgres/lists";
import { inOrganizations, isAmongLinks } from "@cloud/service/records";
import type { WorkspaceRow } from "../workspaces/sql.ts";
import { type ItemRow, type ItemType, itemColumns } from "./sql.ts";

/** The list parameters, and the visibilities to select; none selects all. */
interface LibraryQuery extends ListParameters {
  readonly visibility: readonly Visibility[];
}

/** Returns a page of the live items of the organizations. */
export async function selectItemsOf(
  db: Reader,
  kind: ItemType,
  organizationIds: readonly OrganizationId[],
  query: LibraryQuery,
) {
  const { condition, param, count, searching } = inOrganizations(organizationIds, 2);
  const indexed = { count: count(isList(kind)), ...searching(...searchColumns) };
  return page(db, kind, query, { where: condition, params: [param], ...indexed });
}

/** Returns a page of the live items in the workspace. */
export async function selectItemsInWorkspace(db: Reader, kind: ItemType, workspace: WorkspaceRow, query: LibraryQuery) {
  const { condition, searching } = inOrganizations([workspace.organization_id], 2);
  const params = [workspace.organization_id, workspace.id, kind.name];
  const where = sql`${condition} and ${linked}`;
  return page(db, kind, query, {
    where,
    count: countLinked(kind, condition, query),
    params,
    ...searching(...searchColumns),
  });
}

/** Returns a page of the live items of the workspace's organization that are not in it, of the owner if given. */
export async function selectItemsNotInWorkspace(
  db: Reader,
  kind: ItemType,
  workspace: WorkspaceRow,
  query: LibraryQuery,
  owner?: string,
) {
  const params = [workspace.organization_id, workspace.id, kind.name];
  const { condition, count: countAll, searching } = inOrganizations([workspace.organization_id], 2);
  const searchable = searching(...searchColumns);
  if (owner !== undefined) {
    const own = sql`${condition} and owner = $5`;
    const count = countRows(sql`${kind.table} item`, sql`${liveAndVisible(query)} and ${own} and ${isUnlisted}`);
    const list = { where: sql`${own} and not ${linked}`, count };
    return page(db, kind, query, { ...list, params: [...params, owner], ...searchable });
  }
  const count = sql`${countAll(isList(kind))} - ${countLinked(kind, condition, query)}`;
  return page(db, kind, query, { where: sql`${condition} and not ${linked}`, params, count, ...searchable });
}

/** Returns the condition, with the visibility only if the list names one: other lists use indexes without it. */
const liveAndVisible = ({ visibility }: LibraryQuery) =>
  visibility.length === 0
    ? sql`deleted_at is null and cardinality($1::text[]) = 0`
    : sql`deleted_at is null and visibility = any($1::text[])`;
const linked = sql`
  exists (
    select 1
    from assignments
    where workspace_id = $3 and kind = $4 and resource_id = item.id
  )`;
/** The form of `not linked` that counts many rows. */
const isUnlisted = isAmongLinks(
  sql`item.id`,
  sql`
    select resource_id
    from assignments
    where workspace_id = $3 and kind = $4`,
  false,
);

/**
 * Counts the items in the workspace by its links. Each link is to a live item of its organization, because whatever
 * deletes or moves an item deletes its links. For 100,000 that takes 8 ms, and 88 with the items. By visibility the
 * items are read, too, from an index that contains it.
 */
function countLinked(kind: ItemType, condition: SqlText, query: LibraryQuery): SqlText {
  if (query.visibility.length === 0) return countRows(sql`assignments`, sql`workspace_id = $3 and kind = $4`);
  return countRows(sql`${kind.table} item`, sql`${liveAndVisible(query)} and ${condition} and ${linked}`);
}

const countRows = (from: SqlText, where: SqlText) => sql`
  (
    select count(*)
    from ${from}
    where ${where}
  )`;

/** Returns the condition on `list` for the visibilities that the list names. */
function isList(kind: ItemType): SqlText {
  const visibilities = sql`case when cardinality($1::text[]) = 0 then '{private,public,published}' else $1 end`;
  return sql`list = any(array(select '${kind.table}:' || unnest(${visibilities})))`;
}

const searchColumns = [sql`name`, sql`description`];

type Items = Pick<ListSource, "where" | "params" | "count" | "searchBy">;

async function page(db: Reader, kind: ItemType, query: LibraryQuery, { where, ...list }: Items) {
  const { visibility, ...listParameters } = query;
  return selectPage<ItemRow>(db, {
    columns: itemColumns,
    from: sql`${kind.table} item`,
    where: sql`${liveAndVisible(query)} and ${where}`,
    searchColumns,
    ...list,
    params: [visibility, ...list.params],
    ...listParameters,
  });
}
