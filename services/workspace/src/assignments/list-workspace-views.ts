import { type Caller, parseAssigned, parseListParameters, parseVisibilityFilter } from "@cloud/contract";
import type { ListWorkspaceViewsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { selectItemsInWorkspace, selectItemsNotInWorkspace } from "../library/item-pages-sql.ts";
import { itemToProto } from "../library/item-to-proto.ts";
import { views } from "../library/library-kind.ts";
import { requireWorkspace } from "../workspaces/require-workspace.ts";

/** Lists the views in a workspace or those of its organization that are not. */
export async function listWorkspaceViews(context: Context, caller: Caller, request: ListWorkspaceViewsRequest) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const workspace = await requireWorkspace(context, caller, request.id);
  const { rows, ...total } = parseAssigned(request.filter)
    ? await selectItemsInWorkspace(context.db, views, workspace, query)
    : await selectItemsNotInWorkspace(context.db, views, workspace, query);
  return { page: query.page, pageSize: query.pageSize, ...total, views: rows.map(itemToProto) };
}
