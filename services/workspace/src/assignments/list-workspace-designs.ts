import type { ListWorkspaceDesignsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { type Caller, parseAssigned, parseListParameters, parseVisibilityFilter } from "@cloud/rpc";
import type { Context } from "../context.ts";
import { itemToProto } from "../library/item-to-proto.ts";
import { designs } from "../library/library-kind.ts";
import { selectItemsInWorkspace, selectItemsNotInWorkspace } from "../library/library-pages-sql.ts";
import { findWorkspace } from "../workspaces/find-workspace.ts";

/** Non-members are only the caller's own designs. */
export async function listWorkspaceDesigns(context: Context, caller: Caller, request: ListWorkspaceDesignsRequest) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const workspace = await findWorkspace(context, caller, request.id);
  const { totalCount, rows } = parseAssigned(request.filter)
    ? await selectItemsInWorkspace(context.db, designs, workspace, query)
    : await selectItemsNotInWorkspace(context.db, designs, workspace, query, caller.userId);
  return { page: query.page, pageSize: query.pageSize, totalCount, designs: rows.map(itemToProto) };
}
