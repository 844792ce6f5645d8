import { type Caller, parseAssigned, parseListParameters, parseVisibilityFilter } from "@cloud/contract";
import type { ListWorkspaceDesignsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { selectItemsInWorkspace, selectItemsNotInWorkspace } from "../library/item-pages-sql.ts";
import { itemToProto } from "../library/item-to-proto.ts";
import { designs } from "../library/library-kind.ts";
import { requireWorkspace } from "../workspaces/require-workspace.ts";

/** Lists the designs in a workspace or, of those of its organization that are not, the caller's own. */
export async function listWorkspaceDesigns(context: Context, caller: Caller, request: ListWorkspaceDesignsRequest) {
  const query = { ...parseListParameters(request), visibility: parseVisibilityFilter(request.visibility) };
  const workspace = await requireWorkspace(context, caller, request.id);
  const { rows, ...total } = parseAssigned(request.filter)
    ? await selectItemsInWorkspace(context.db, designs, workspace, query)
    : await selectItemsNotInWorkspace(context.db, designs, workspace, query, caller.userId);
  return { page: query.page, pageSize: query.pageSize, ...total, designs: rows.map(itemToProto) };
}
