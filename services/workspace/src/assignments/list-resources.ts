import type { Caller } from "@cloud/access";
import { parseAssigned, parseListParameters, parseVisibilityFilter } from "@cloud/access/lists";
import type {
  ListWorkspaceDesignsRequest,
  ListWorkspaceEnvironmentsRequest,
  ListWorkspaceTeamsRequest,
  ListWorkspaceViewsRequest,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { selectItemsInWorkspace, selectItemsNotInWorkspace } from "../library/pages-sql.ts";
import { designs, views } from "../library/sql.ts";
import { selectLinkedPage } from "../links/linked-page.ts";
import { itemToProto } from "../to-proto.ts";
import { requireLinkedWorkspace, requireWorkspace } from "../workspaces/require-workspace.ts";

/** Lists teams by the page that identity returns: a change that either service confirmed is visible at once. */
export async function listWorkspaceTeams(context: Context, caller: Caller, request: ListWorkspaceTeamsRequest) {
  parseListParameters(request);
  const workspace = await requireLinkedWorkspace(context, caller, request.id, "team");
  const { search, order, page, pageSize, filter } = request;
  const assigned = parseAssigned(filter);
  return selectLinkedPage(context.pages.team, workspace, { assigned, search, order, page, pageSize });
}

/**
 * Lists environments by the page that the environment service returns: a change that either service confirmed is
 * visible at once.
 */
export async function listWorkspaceEnvironments(
  context: Context,
  caller: Caller,
  request: ListWorkspaceEnvironmentsRequest,
) {
  parseListParameters(request);
  const workspace = await requireLinkedWorkspace(context, caller, request.id, "environment");
  const { search, order, page, pageSize, filter } = request;
  const assigned = parseAssigned(filter);
  return selectLinkedPage(context.pages.environment, workspace, {
    assigned,
    search,
    order,
    page,
    pageSize,
  });
}

/** Lists the designs in a workspace, or the caller's own designs of its organization that are not in it. */
export async function listWorkspaceDesigns(context: Context, caller: Caller, request: ListWorkspaceDesignsRequest) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const workspace = await requireWorkspace(context, caller, request.id);
  const { rows, ...total } = parseAssigned(request.filter)
    ? await selectItemsInWorkspace(context.db, designs, workspace, query)
    : await selectItemsNotInWorkspace(context.db, designs, workspace, query, caller.userId);
  return { page: query.page, pageSize: query.pageSize, ...total, designs: rows.map(itemToProto) };
}

/** Lists the views in a workspace, or the views of its organization that are not in it. */
export async function listWorkspaceViews(context: Context, caller: Caller, request: ListWorkspaceViewsRequest) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const workspace = await requireWorkspace(context, caller, request.id);
  const { rows, ...total } = parseAssigned(request.filter)
    ? await selectItemsInWorkspace(context.db, views, workspace, query)
    : await selectItemsNotInWorkspace(context.db, views, workspace, query);
  return { page: query.page, pageSize: query.pageSize, ...total, views: rows.map(itemToProto) };
}
