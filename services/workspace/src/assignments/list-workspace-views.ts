import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import type { ListWorkspaceViewsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, parseAssigned, parseListParameters, parseVisibilityFilter, requirePermission } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { itemToProto } from "../library/item-to-proto.ts";
import { views } from "../library/library-kind.ts";
import { selectItemsInWorkspace, selectItemsNotInWorkspace } from "../library/library-pages-sql.ts";
import { findWorkspace } from "../workspaces/find-workspace.ts";

export async function listWorkspaceViews(context: Context, caller: Caller, request: ListWorkspaceViewsRequest) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const workspace = await findWorkspace(context, caller, request.id);
  requirePermission(caller, workspace.organization_id, Permission.VIEW_WORKSPACE);
  const { totalCount, rows } = parseAssigned(request.filter)
    ? await selectItemsInWorkspace(context.db, views, workspace, query)
    : await selectItemsNotInWorkspace(context.db, views, workspace, query);
  return { page: query.page, pageSize: query.pageSize, totalCount, views: rows.map(itemToProto) };
}
