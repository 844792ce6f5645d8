import { type Caller, parseAssigned, parseListParameters } from "@cloud/contract";
import type { ListWorkspaceTeamsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { selectLinkedPage } from "../links/linked-page.ts";
import { requireLinkedWorkspace } from "../workspaces/require-workspace.ts";

/** Lists teams by the page that identity returns: a change that either service confirmed is visible at once. */
export async function listWorkspaceTeams(context: Context, caller: Caller, request: ListWorkspaceTeamsRequest) {
  parseListParameters(request);
  const workspace = await requireLinkedWorkspace(context, caller, request.id, "team");
  const { search, order, page, pageSize, filter } = request;
  const assigned = parseAssigned(filter);
  return selectLinkedPage(context.pages.team, workspace, { assigned, search, order, page, pageSize });
}
