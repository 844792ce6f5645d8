import { type Caller, parseAssigned, parseListParameters } from "@cloud/contract";
import type { ListWorkspaceEnvironmentsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { selectLinkedPage } from "../links/linked-page.ts";
import { requireLinkedWorkspace } from "../workspaces/require-workspace.ts";

/** Lists environments by the page that the environment service returns: a change that either service confirmed is visible at once. */
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
