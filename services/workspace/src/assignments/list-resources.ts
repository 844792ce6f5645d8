import type { Caller } from "@cloud/access";
import { type ListRequest, parseAssigned, parseListParameters, parseVisibilityFilter } from "@cloud/access/lists";
import type { Context } from "../context.ts";
import { selectItemsInWorkspace, selectItemsNotInWorkspace } from "../library/pages-sql.ts";
import { designs, type ItemType, views } from "../library/sql.ts";
import { type OwnerPages, type PeerPages, selectLinkedPage } from "../links/linked-page.ts";
import type { PeerResource } from "../links/reference-sql.ts";
import { itemToProto } from "../to-proto.ts";
import { requireLinkedWorkspace, requireWorkspace } from "../workspaces/require-workspace.ts";

/** A request for a list of a workspace. */
interface WorkspaceListRequest extends ListRequest {
  readonly id: string;
  readonly filter?: Parameters<typeof parseAssigned>[0];
}

/**
 * Returns the handler that lists records of a kind by the page that their owner returns: a change that either service
 * confirmed is visible at once.
 */
const listLinked =
  <Reply>(kind: PeerResource, pagesOf: (pages: PeerPages) => OwnerPages<Reply>) =>
  async (context: Context, caller: Caller, request: WorkspaceListRequest): Promise<Reply> => {
    parseListParameters(request);
    const workspace = await requireLinkedWorkspace(context, caller, request.id, kind);
    const { search, order, page, pageSize, filter } = request;
    const assigned = parseAssigned(filter);
    return selectLinkedPage(pagesOf(context.pages), workspace, { assigned, search, order, page, pageSize });
  };

export const listWorkspaceTeams = listLinked("team", (pages) => pages.team);
export const listWorkspaceEnvironments = listLinked("environment", (pages) => pages.environment);

/** Lists the designs in a workspace, or the caller's own designs of its organization that are not in it. */
export async function listWorkspaceDesigns(context: Context, caller: Caller, request: ItemListRequest) {
  const { items, ...page } = await listItemsOf(context, caller, designs, request, caller.userId);
  return { ...page, designs: items };
}

/** Lists the views in a workspace, or the views of its organization that are not in it. */
export async function listWorkspaceViews(context: Context, caller: Caller, request: ItemListRequest) {
  const { items, ...page } = await listItemsOf(context, caller, views, request);
  return { ...page, views: items };
}

interface ItemListRequest extends WorkspaceListRequest {
  readonly visibility: readonly string[];
}

/** Lists the items in a workspace, or the others of its organization; an owner, if given, restricts the others. */
async function listItemsOf(context: Context, caller: Caller, kind: ItemType, request: ItemListRequest, owner?: string) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const workspace = await requireWorkspace(context, caller, request.id);
  const { rows, ...total } = parseAssigned(request.filter)
    ? await selectItemsInWorkspace(context.db, kind, workspace, query)
    : await selectItemsNotInWorkspace(context.db, kind, workspace, query, owner);
  return { page: query.page, pageSize: query.pageSize, ...total, items: rows.map(itemToProto) };
}
