import { type Caller, parseAssigned, parseListParameters } from "@cloud/contract";
import type { ListWorkspaceTeamsRequest } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Context } from "../context.ts";
import { requireLinkedWorkspace } from "../workspaces/require-workspace.ts";

/**
 * Sends the ids linked here to identity, which returns the page: a change that either service confirmed is visible at
 * once.
 */
export async function listWorkspaceTeams(context: Context, caller: Caller, request: ListWorkspaceTeamsRequest) {
  parseListParameters(request);
  const { organizationId, ids } = await requireLinkedWorkspace(context, caller, request.id, "team");
  const { search, order, page, pageSize, filter } = request;
  const assigned = parseAssigned(filter);
  return context.pages.teams({ organizationId, ids, assigned, search, order, page, pageSize });
}
